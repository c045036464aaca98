// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardHTTPTestSupport

/// A behaviour test: a script of requests, with the cache's expected behaviour at each.
///
/// The data have the form of the project http-tests/cache-tests.
struct BehaviourTest: Sendable {
    /// The meaning of a failure.
    enum Kind: String, Sendable, CaseIterable {
        /// A rule of HTTP is broken.
        case required
        /// The cache works less well than it could.
        case optimal
        /// Nothing: the test asks how the cache behaves.
        case check
    }

    let id: String
    let suite: String
    var kind: Kind
    var steps: [BehaviourStep]
    let dependencies: [String]

    /// Reads a list of suites.
    static func read(_ data: Data) throws -> [BehaviourTest] {
        try JSONDecoder().decode([Suite].self, from: data).flatMap { suite in
            try suite.tests.map { test in
                let kind = test.kind ?? "required"
                guard let kind = Kind(rawValue: kind) else { throw UnreadableScript("The kind \(kind) of \(test.id) is unknown.") }
                let steps = test.requests.map { BehaviourStep(members: $0) }
                if let unknown = steps.lazy.flatMap(\.members.keys).first(where: { !BehaviourStep.knownMembers.contains($0) }) {
                    throw UnreadableScript("The member \(unknown) of \(test.id) is unknown.")
                }
                return BehaviourTest(id: test.id, suite: suite.id, kind: kind, steps: steps, dependencies: test.dependsOn ?? [])
            }
        }
    }

    private struct Suite: Decodable {
        let id: String
        let tests: [Script]
    }

    private struct Script: Decodable {
        enum CodingKeys: String, CodingKey {
            case id, kind, requests
            case dependsOn = "depends_on"
        }

        let id: String
        let kind: String?
        let requests: [[String: ScriptValue]]
        let dependsOn: [String]?
    }
}

/// The script says something that the replay does not know.
struct UnreadableScript: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// One request of a script, with the origin's answer and the expectations.
struct BehaviourStep: Sendable {
    var members: [String: ScriptValue]

    static let knownMembers: Set<String> = [
        "check_body", "disconnect", "expected_interim_responses", "expected_method", "expected_request_headers",
        "expected_request_headers_missing", "expected_response_headers", "expected_response_headers_missing", "expected_response_text",
        "expected_status", "expected_type", "filename", "interim_responses", "magic_ims", "magic_locations", "pause_after", "query_arg",
        "redirect", "request_body", "request_headers", "request_method", "response_body", "response_headers", "response_status",
        "rfc850date", "setup", "setup_tests",
    ]

    subscript(member: String) -> ScriptValue? { members[member] }

    func text(_ member: String) -> String? { members[member]?.text }
    func isTrue(_ member: String) -> Bool { members[member]?.bool == true }
    func list(_ member: String) -> [ScriptValue] { members[member]?.list ?? [] }

    var method: String { text("request_method") ?? "GET" }
    var expectedType: String { text("expected_type") ?? "" }

    /// The expectations of a member, each a name and its values. A name may stand alone.
    func expectations(_ member: String) -> [(name: String, rest: [ScriptValue])] {
        list(member).compactMap { entry in
            if let name = entry.text { return (name, []) }
            guard let list = entry.list, let name = list.first?.text else { return nil }
            return (name, Array(list.dropFirst()))
        }
    }

    /// Whether the expectation of `member` is a precondition: if it is not met, the test could not be done.
    func isPrecondition(_ member: String?) -> Bool {
        guard let member else { return true }
        return isTrue("setup") || list("setup_tests").contains { $0.text == member }
    }

    /// The text of a field's value. A number in a date field is so many seconds from `now`; with `magic_locations`, locations are relative to `base`.
    func fieldValue(_ name: String, _ value: ScriptValue, now: Date?, base: String?) -> String {
        let field = name.lowercased()
        if let offset = value.number, Self.dateFields.contains(field) {
            guard let now else { return "<now \(offset) s>" }
            let date = now.addingTimeInterval(Double(offset))
            return list("rfc850date").contains { $0.text == field } ? date.rfc850 : date.imfFixdate
        }
        let text = value.text ?? value.number.map { String($0) } ?? ""
        if isTrue("magic_locations"), field == "location" || field == "content-location" {
            return (base ?? "<this URL>") + (text.isEmpty ? "" : "/\(text)")
        }
        return text
    }

    private static let dateFields: Set<String> = ["date", "expires", "last-modified", "if-modified-since", "if-unmodified-since"]
}

/// A JSON value.
enum ScriptValue: Decodable, Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Int)
    case text(String)
    case list([ScriptValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .list(try container.decode([ScriptValue].self))
        }
    }

    var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
    var number: Int? { if case .number(let number) = self { number } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var list: [ScriptValue]? { if case .list(let list) = self { list } else { nil } }
}

extension Date {
    /// The preferred form of HTTP's dates. Made by the system's calendar and not by the code under test.
    fileprivate var imfFixdate: String { text("EEE, dd MMM yyyy HH:mm:ss 'GMT'") }

    /// The form that HTTP used first: RFC 9110 §5.6.7.
    fileprivate var rfc850: String { text("EEEE, dd-MMM-yy HH:mm:ss 'GMT'") }

    private func text(_ format: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = format
        return formatter.string(from: self)
    }
}
