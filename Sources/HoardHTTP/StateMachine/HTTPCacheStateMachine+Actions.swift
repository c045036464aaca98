// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPCacheStateMachine {
    package enum StartAction: Sendable, Hashable {
        /// Look for a stored response that the request's ``selectingFields`` select.
        case lookUp
        /// The request cannot be answered from the cache, and its client wants no other answer.
        case respond(Answer)
        /// Send it. Nothing that is stored could answer it.
        case forward(Forward)
    }

    package enum LookupAction: Sendable, Hashable {
        case respond(Answer)
        /// Give the answer now, and do the `Forward` in the background. The response to that is only stored, with this
        /// same machine, which is then forwarding: [RFC 5861 §3](https://www.rfc-editor.org/rfc/rfc5861#section-3).
        indirect case respondAndRefresh(Answer, Forward)
        // Out of line, so that an answer, which is all a hit needs, is quick to hand on.
        indirect case forward(Forward)
    }

    package enum ResponseAction: Sendable, Hashable {
        /// Give the client the head and the body as they come. Not stored.
        case deliver(HTTPResponse, Effects)
        /// Give the client the head and the body as they come, and keep the body when it is whole.
        case deliverAndStore(HTTPResponse, Storing, Effects)
        /// The missing range of a stored response has come: the client gets a 200 whose content is that of `stored`, with the received bytes at the
        /// placement. If the effects remove the found response, the whole is not stored.
        case deliverCombined(HTTPResponse, stored: StoredResponse, Storing, Effects)
        /// The stored response answers; the body that came is dropped. Put `storing` in the place of the response that
        /// the lookup found. If it is `nil`, remove the found one if the effects say so, else leave it.
        case respond(Answer, storing: StoredResponse?, Effects)
        /// The answer was about something that the cache does not have. Ask again. It happens at most once.
        case forwardAgain(Forward)
    }

    package enum FailureAction: Sendable, Hashable {
        case respond(Answer)
        /// `prohibition`: the rule that forbids answering with the stale response that is stored. Then 504 is the answer:
        /// [RFC 9111 §5.2.2.2](https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2.2).
        case fail(CacheStatus, prohibition: StaleProhibition?)
    }

    /// A request to the origin, and the reason for it.
    package struct Forward: Sendable, Hashable {
        package var request: HTTPRequest
        package var reason: CacheStatus.ForwardReason
        /// The reason more exactly.
        package var decision: HTTPDecision
        /// Whether the request may wait for the answer to another one like it, and others for the answer to it.
        package var isCollapsible: Bool

        package init(request: HTTPRequest, reason: CacheStatus.ForwardReason, decision: HTTPDecision, isCollapsible: Bool) {
            self.request = request
            self.reason = reason
            self.decision = decision
            self.isCollapsible = isCollapsible
        }
    }

    /// The reason why no response came.
    package struct ForwardFailure: Sendable, Hashable {
        /// A constant, for `Cache-Status`.
        package var detail: String
        /// Whether the origin could not be asked at all or did not answer, be it for want of a connection, of time or of a name.
        package var isUnreachable: Bool

        package init(detail: String, isUnreachable: Bool) {
            self.detail = detail
            self.isUnreachable = isUnreachable
        }
    }

    /// A response to be stored once its content has come.
    package struct Storing: Sendable, Hashable {
        /// Its body holds the stored parts of the same representation: none, if there is no ``placement``.
        package var response: StoredResponse
        /// Where the received content lies, if it is a part.
        package var placement: Placement?
        /// Whether the received content of a transfer that broke off may be kept as a part:
        /// [RFC 9111 §3.3](https://www.rfc-editor.org/rfc/rfc9111#section-3.3).
        package var mayKeepIncomplete: Bool
        /// The digest that the received content has to have.
        package var digest: ContentDigest?

        package init(response: StoredResponse, placement: Placement? = nil, mayKeepIncomplete: Bool = false, digest: ContentDigest? = nil) {
            self.digest = digest
            self.response = response
            self.placement = placement
            self.mayKeepIncomplete = mayKeepIncomplete
        }
    }

    /// Where received content lies in a representation.
    package struct Placement: Sendable, Hashable {
        package var offset: Int
        package var length: Int
        /// The length of the whole; `nil` if no message has told it.
        package var completeLength: Int?

        package init(offset: Int, length: Int, completeLength: Int?) {
            self.offset = offset
            self.length = length
            self.completeLength = completeLength
        }

        package var range: Range<Int> { offset..<(offset + length) }
    }

    /// The effects of a response on the cache, besides being stored. They come before it is stored.
    package struct Effects: Sendable, Hashable {
        /// Remove the stored responses for these URIs, which are in normal form: [RFC 9111 §4.4](https://www.rfc-editor.org/rfc/rfc9111#section-4.4).
        package var invalidatedURIs: [String]
        /// Remove the stored responses of these groups of the request's origin: [RFC 9875 §3](https://www.rfc-editor.org/rfc/rfc9875#section-3).
        package var invalidatedGroups: [String]
        /// Remove the stored response that the lookup found.
        package var removesFound: Bool
        /// Put this in the place of the stored response that the lookup found. The body is the same:
        /// [RFC 9111 §4.3.5](https://www.rfc-editor.org/rfc/rfc9111#section-4.3.5).
        package var replacement: StoredResponse?
        /// The reason why the response is stored, or is not.
        package var reason: HTTPDecision

        package init(
            reason: HTTPDecision,
            invalidatedURIs: [String] = [],
            invalidatedGroups: [String] = [],
            removesFound: Bool = false,
            replacement: StoredResponse? = nil
        ) {
            self.reason = reason
            self.invalidatedURIs = invalidatedURIs
            self.invalidatedGroups = invalidatedGroups
            self.removesFound = removesFound
            self.replacement = replacement
        }
    }
}
