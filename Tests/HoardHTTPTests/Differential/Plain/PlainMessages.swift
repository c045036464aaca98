// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport

/// Fields as lines in their order; names are in lower case.
struct PlainFields: Hashable, Sendable, CustomStringConvertible {
    struct Line: Hashable, Sendable {
        var name: String
        var value: String
    }

    var lines: [Line] = []

    init(_ pairs: [(String, String)] = []) {
        lines = pairs.map { Line(name: $0.0, value: $0.1) }
    }

    /// All values of a field as one: RFC 9110 §5.3.
    subscript(_ name: String) -> String? {
        let values = all(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    func all(_ name: String) -> [String] {
        var values: [String] = []
        for line in lines where line.name == name { values.append(line.value) }
        return values
    }

    mutating func add(_ name: String, _ value: String?) {
        if let value { lines.append(Line(name: name, value: value)) }
    }

    mutating func remove(_ name: String) {
        lines.removeAll { $0.name == name }
    }

    var description: String {
        lines.map { "\($0.name): \($0.value)" }.joined(separator: " | ")
    }
}

struct PlainRequest: Hashable, Sendable, CustomStringConvertible {
    var method: String
    /// Path and query; all requests are for one origin.
    var uri: String
    var fields = PlainFields()

    var description: String { "\(method) \(uri) [\(fields)]" }
}

struct PlainResponse: Hashable, Sendable, CustomStringConvertible {
    var status: Int
    var fields = PlainFields()
    var body = ""

    var description: String { "\(status) [\(fields)] \(body)" }
}

/// A request that the cache sent to the origin, and its response.
struct PlainCall: Hashable, Sendable, CustomStringConvertible {
    var request: PlainRequest
    var requestTime: Int
    /// When the answer came.
    var responseTime: Int
    /// `nil`: the connection failed.
    var response: PlainResponse?

    var description: String { "\(request) → \(response.map { "\($0)" } ?? "no response") after \(responseTime - requestTime) s" }
}

/// The part of an answer that is compared.
struct PlainReply: Hashable, Sendable, CustomStringConvertible {
    /// `nil`: the request failed.
    var status: Int?
    var body = ""
    var eTag: String?
    var lastModified: String?
    var cacheControl: String?
    var contentRange: String?
    var age: String?

    var description: String {
        let fields = [
            ("ETag", eTag), ("Last-Modified", lastModified), ("Cache-Control", cacheControl), ("Content-Range", contentRange), ("Age", age),
        ]
        let text = fields.compactMap { name, value in value.map { "\(name): \($0)" } }.joined(separator: " | ")
        return "\(status.map { "\($0)" } ?? "failed") [\(text)] \(body)"
    }
}

/// All that is seen of one exchange.
struct PlainExchange: Hashable, Sendable, CustomStringConvertible {
    var request: PlainRequest
    /// When the client sent it.
    var time: Int
    var calls: [PlainCall] = []
    var reply = PlainReply()

    var description: String {
        let lines = ["\(time): \(request)"] + calls.map { "    call \($0)" } + ["    reply \(reply)"]
        return lines.joined(separator: "\n")
    }
}
