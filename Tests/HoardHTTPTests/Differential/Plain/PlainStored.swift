// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport

/// A stored response, with the decisions about it where the RFC leaves a choice.
struct PlainStored: Hashable, Sendable {
    var response: PlainResponse
    /// The values of the request's fields that responses may vary by.
    var selecting: PlainFields
    /// When the answer came that the fields are from.
    var responseTime: Int
    /// The Date field, or when the response came: RFC 9110 §6.6.1.
    var date: Int
    /// RFC 9111 §4.2.3.
    var correctedInitialAge: Int
    var freshnessLifetime: Int
    /// Whether the directive no-cache is heeded: RFC 9111 §5.2.2.4.
    var isNoCache: Bool
    /// The directives of the response, and the names of the fields that it varies by, in their order.
    var directives: PlainDirectives
    var varyNames: [String]

    /// RFC 9111 §4.2.3.
    func age(at time: Int) -> Int { correctedInitialAge + time - responseTime }

    /// Positive or zero: the response is stale.
    func staleness(at time: Int) -> Int { age(at: time) - freshnessLifetime }

    /// RFC 9111 §4.2.
    func isFresh(at time: Int) -> Bool { freshnessLifetime > age(at: time) }

    var eTag: String? { response.fields["etag"] }
    var lastModified: String? { response.fields["last-modified"] }
    var hasValidator: Bool { eTag != nil || lastModified != nil }
    static func varyNames(_ fields: PlainFields) -> [String] {
        fields.all("vary").flatMap { PlainDirectives.split($0) }.map { $0.lowercased() }.sorted()
    }
}

/// All that may be stored for one URI: one of the states that everything seen so far allows.
typealias PlainWorld = [PlainStored]

/// One way in which a conforming cache may deal with a request, if nothing but one state is stored.
struct PlainBranch {
    /// The sections that allow it.
    var why: String
    /// The conditions of the requests to the origin, each as a choice.
    var calls: [[PlainConditions]] = []
    var reply: PlainReplyPattern
    var next: [PlainWorld]
}

/// The conditions that a request to the origin has.
struct PlainConditions: Hashable, Sendable, CustomStringConvertible {
    var ifNoneMatch: String?
    var ifModifiedSince: String?

    init(ifNoneMatch: String? = nil, ifModifiedSince: String? = nil) {
        self.ifNoneMatch = ifNoneMatch
        self.ifModifiedSince = ifModifiedSince
    }

    init(_ fields: PlainFields) {
        self.init(ifNoneMatch: fields["if-none-match"], ifModifiedSince: fields["if-modified-since"])
    }

    var isEmpty: Bool { self == PlainConditions() }
    var description: String { isEmpty ? "no conditions" : "If-None-Match \(ifNoneMatch ?? "-"), If-Modified-Since \(ifModifiedSince ?? "-")" }
}

/// The answers that a cache may give: a choice for each part, `nil` if it does not matter.
struct PlainReplyPattern: CustomStringConvertible {
    var status: Int?
    var body: String?
    var eTag: [String?]?
    var lastModified: [String?]?
    var cacheControl: [String?]?
    var contentRange: [String?]? = [nil]
    var age: [String?]?

    /// A request that fails.
    static let failure = PlainReplyPattern(contentRange: nil)
    /// For requests that have not been sent.
    static let asOriginAnswers = PlainReplyPattern(body: "as the origin answers")

    func accepts(_ reply: PlainReply) -> Bool {
        guard status == reply.status else { return false }
        if let body, body != reply.body { return false }
        let pairs = [
            (eTag, reply.eTag), (lastModified, reply.lastModified), (cacheControl, reply.cacheControl), (contentRange, reply.contentRange),
            (age, reply.age),
        ]
        return pairs.allSatisfy { choices, value in choices?.contains(value) ?? true }
    }

    var description: String {
        let fields = [
            ("ETag", eTag), ("Last-Modified", lastModified), ("Cache-Control", cacheControl), ("Content-Range", contentRange), ("Age", age),
        ]
        var text: [String] = []
        for (name, choices) in fields {
            guard let choices, choices != [nil] else { continue }
            text.append("\(name): \(choices.map { $0 ?? "none" }.joined(separator: " or "))")
        }
        return "\(status.map { "\($0)" } ?? "failed") [\(text.joined(separator: " | "))] \(body ?? "any content")"
    }
}
