// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Storability {
    /// The reason why a response is not stored.
    package struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// A constant in capitals, for the `detail` parameter of `Cache-Status`.
        package let token: String
        /// Where the rule stands.
        package let section: String
        /// The rule in one sentence.
        package let explanation: String

        private init(_ token: String, _ section: String, _ explanation: String) {
            self.token = token
            self.section = section
            self.explanation = explanation
        }

        package var description: String { "\(token) (\(section))" }
    }
}

extension Storability.Reason {
    package static let method = Self(
        "METHOD",
        "RFC 9111 §3",
        "Only responses to GET and QUERY are stored, and those to POST that state a lifetime and have the target in Content-Location."
    )
    package static let status = Self(
        "STATUS",
        "RFC 9111 §3",
        "The status is interim or 304, or it is one that is stored only with an explicit lifetime, and there is none."
    )
    package static let unmetDemand = Self(
        "UNMET-DEMAND",
        "RFC 9110 §15.5",
        "The response tells that a condition, an expectation or a range of this one request could not be met."
    )
    package static let neverStored = Self(
        "NEVER-STORED",
        "RFC 6585",
        "Responses of this status must not be stored: 428, 429, 431 and 511."
    )
    package static let partial = Self(
        "PARTIAL",
        "RFC 9111 §3.3",
        "The response is a part that was not asked for, has several parts, does not say where in the whole it lies, or answers If-Range and may lack fields."
    )
    package static let notUnderstood = Self(
        "MUST-UNDERSTAND",
        "RFC 9111 §5.2.2.3",
        "The response must be stored only by caches that understand its status, and this one does not."
    )
    package static let requestNoStore = Self("REQUEST-NO-STORE", "RFC 9111 §5.2.1.5", "The request says no-store.")
    package static let noStore = Self("NO-STORE", "RFC 9111 §5.2.2.5", "The response says no-store.")
    package static let `private` = Self("PRIVATE", "RFC 9111 §5.2.2.7", "The response is for one user, and the cache is shared.")
    package static let authorization = Self(
        "AUTHORIZATION",
        "RFC 9111 §3.5",
        "The request has credentials, the cache is shared, and the response does not say that it may be."
    )
    package static let varyStar = Self(
        "VARY-STAR",
        "RFC 9111 §4.1",
        "The response varies by something beyond the request's fields, so no request would select it."
    )
    package static let noExplicitFreshness = Self(
        "NO-EXPLICIT-FRESHNESS",
        "RFC 9111 §3",
        "The response has neither a lifetime nor a validator, so it could never be used."
    )
    package static let length = Self(
        "CONTENT-LENGTH",
        "RFC 9110 §8.6",
        "The response states several lengths, or one that is no number, so nobody can tell whether its content is whole."
    )
    package static let transferCoding = Self(
        "TRANSFER-CODING",
        "RFC 9112 §7",
        "The content came in a transfer coding that this cache does not know, so nobody here can tell what it is."
    )
    package static let tooLarge = Self("TOO-LARGE", "RFC 9111 §3", "The content is longer than the cache accepts.")
    package static let tags = Self("TAGS", "RFC 9111 §3", "The response has a tag by which it could not be removed, or too many of them.")

    /// All reasons, in the order in which they are looked for.
    package static let allReasons: [Self] = [
        .method, .requestNoStore, .status, .unmetDemand, .neverStored, .partial, .notUnderstood, .noStore, .private, .authorization, .varyStar,
        .noExplicitFreshness, .transferCoding, .length, .tooLarge, .tags,
    ]
}
