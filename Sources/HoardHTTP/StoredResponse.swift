// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import NIOCore
internal import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A response as the cache keeps it, whole or incomplete: what the origin sent, when it was asked and answered, and what follows from that.
///
/// The head is that of the whole representation. So for a stored 206 the status is 200 ([RFC 9110 §15.3.7](https://www.rfc-editor.org/rfc/rfc9110#section-15.3.7)),
/// there is no `Content-Range`, and `Content-Length` is that of the whole if it is known.
///
/// Everything that a decision reads is derived when the response is made, and shared by all copies: copying is cheap, and deciding reads no fields.
package struct StoredResponse: Sendable {
    /// The content, as far as it is stored.
    package var body: StoredBody

    /// The fields that came behind the content, kept apart from those of the head ([RFC 9110 §6.5.1](https://www.rfc-editor.org/rfc/rfc9110#section-6.5.1));
    /// empty if there were none.
    package var trailers: HTTPFields

    private let message: Message

    /// - Parameters:
    ///   - head: The status and the fields to be stored, in the origin's order and bytes.
    ///   - staleSince: From when on the response counts as stale, however long its lifetime is.
    ///   - rules: Of the cache that keeps the response; they decide which directives are in force.
    package init(
        head: HTTPResponse,
        body: StoredBody = .empty,
        trailers: HTTPFields = [:],
        requestTime: Date,
        responseTime: Date,
        staleSince: Date? = nil,
        rules: HTTPCacheRules
    ) {
        self.body = body
        self.trailers = trailers
        self.message = Message(head: head, requestTime: requestTime, responseTime: responseTime, staleSince: staleSince, rules: rules)
    }

    /// The same response, which counts as stale from `date` on until the origin has confirmed it.
    package func markedStale(at date: Date, rules: HTTPCacheRules) -> Self {
        StoredResponse(
            head: head,
            body: body,
            trailers: trailers,
            requestTime: requestTime,
            responseTime: responseTime,
            staleSince: min(date, staleSince ?? date),
            rules: rules
        )
    }

    /// The status and the fields to be stored, in the origin's order and bytes. O(*n*) in their number.
    package var head: HTTPResponse { message.head }

    /// The head as it was stored, but for `Age`, which every answer has anew, and for what the owner's policy has added.
    package var headWithoutAge: HTTPResponse { message.headWithoutAge }

    /// When the request that led to this response was sent: [RFC 9111 §4.2.3](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.3).
    package var requestTime: Date { message.requestTime }

    /// When this response, or the 304 that last updated it, was received.
    package var responseTime: Date { message.responseTime }

    /// From when on the response counts as stale, however long its lifetime is; `nil` if nobody has said so.
    package var staleSince: Date? { message.staleSince }

    /// The directives in force, the lifetime and the age.
    package var freshness: ResponseFreshness { message.freshness }

    /// O(*n*) in the number of fields.
    package var validators: Validators { Validators(of: message.head.headerFields) }

    /// Which request fields select the response.
    package var vary: Vary { message.vary }

    /// What the response may be removed by: the members of `Cache-Tag` and `Surrogate-Key`, and the tags of the owner's policy.
    package var tags: Set<String> { message.tags }

    /// Which parts of the query do not matter; `nil` if it matters as it is.
    package var noVarySearch: NoVarySearch? { message.noVarySearch }

    /// The status code.
    package var statusCode: Int { message.statusCode }

    /// Whether all of the content is stored.
    package var isComplete: Bool { body.isComplete }

    /// What the response weighs in the memory tier: its bytes, and the space that its fields take.
    package var weight: Int {
        trailers.reduce(message.weight + body.byteCountAtHand) { $0 + $1.weight }
    }
}

extension StoredResponse: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        (left.message === right.message || left.message.isEqual(to: right.message)) && left.body == right.body && left.trailers == right.trailers
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(message.statusCode)
        hasher.combine(message.responseTime)
        hasher.combine(body)
    }
}

extension StoredResponse {
    /// The head as HTTP/1.1 servers write it, if it can be written without looking at its fields one by one; see ``WireHead``.
    var wireHead: WireHead? { message.wire }

    /// What never changes in a stored response, and all that is derived from it. One for all copies.
    ///
    /// There are as many of these as there are entries in memory, so the head is kept as bytes. It is read back when somebody asks for it.
    private final class Message: Sendable {
        /// The head as bytes; `nil` if bytes cannot stand for all of it.
        let wire: WireHead?
        private let reasonPhrase: String
        /// The head if bytes cannot stand for it.
        private let kept: HTTPResponse?
        /// The head without `Age`, once it has been asked for.
        private let headWithoutAgeRead = AtomicLazyReference<Head>()
        let requestTime: Date
        let responseTime: Date
        let staleSince: Date?
        let freshness: ResponseFreshness
        let vary: Vary
        let tags: Set<String>
        let noVarySearch: NoVarySearch?
        let statusCode: Int
        let weight: Int

        init(head: HTTPResponse, requestTime: Date, responseTime: Date, staleSince: Date?, rules: HTTPCacheRules) {
            let fields = head.headerFields
            let wire = WireHead(head)
            self.wire = wire
            self.kept = wire == nil ? head : nil
            self.reasonPhrase = head.status.reasonPhrase
            let policy = PolicyField(fields)
            self.requestTime = requestTime
            self.responseTime = responseTime
            self.staleSince = staleSince
            let freshness = ResponseFreshness(of: head, requestTime: requestTime, responseTime: responseTime, rules: rules)
            self.freshness = staleSince.map { freshness.stale(from: $0) } ?? freshness
            self.vary = Vary(fields)
            self.tags = CacheTags.tags(in: fields).union(policy?.tags ?? [])
            self.noVarySearch = NoVarySearch(fields)
            self.statusCode = head.status.code
            self.weight = fields.reduce(512) { $0 + $1.weight }
        }

        /// O(*n*) in the bytes of the fields.
        var head: HTTPResponse {
            if let kept { return kept }
            return HTTPResponse(status: .init(code: statusCode, reasonPhrase: reasonPhrase), headerFields: wire?.fields ?? [:])
        }

        /// Amortised O(1).
        var headWithoutAge: HTTPResponse {
            if let read = headWithoutAgeRead.load() { return read.head }
            var head = head
            if head.headerFields.contains(.age) { head.headerFields[.age] = nil }
            if head.headerFields.contains(.hoardPolicy) { head.headerFields[.hoardPolicy] = nil }
            return headWithoutAgeRead.storeIfNil(Head(head)).head
        }

        /// What is derived is equal if what it is derived from is, in one cache.
        func isEqual(to other: Message) -> Bool {
            requestTime == other.requestTime && responseTime == other.responseTime && freshness == other.freshness && head == other.head
        }
    }

    private final class Head: Sendable {
        let head: HTTPResponse

        init(_ head: HTTPResponse) {
            self.head = head
        }
    }
}

extension HTTPField {
    fileprivate var weight: Int { name.rawName.utf8.count + value.utf8.count + 64 }
}
