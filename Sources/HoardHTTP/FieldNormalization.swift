// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A rule for values of a request field that mean the same to a site. The cache and the origin see one value in place of all.
///
/// ```swift
/// policy.normalizations = [
///     FieldNormalization(.acceptLanguage, values: ["de*"], replacement: "de"),
///     FieldNormalization(.acceptLanguage, values: ["*"], replacement: "en"),
///     FieldNormalization(.userAgent, values: ["*Mobile*"], replacement: "mobile"),
/// ]
/// ```
///
/// A response that names such a field in `Vary` then has a few variants, and not one for each client. The first rule that fits decides; a value that fits none
/// stays as it is. Several lines of a field are compared as one, with commas between.
public struct FieldNormalization: Hashable, Sendable {
    /// The field.
    public var name: HTTPField.Name
    /// The values, compared without regard to case. A `*` at the beginning or at the end stands for any text.
    public var values: [String]
    /// The value that replaces them. Empty: the field is left out.
    public var replacement: String

    /// Creates a rule for a field.
    public init(_ name: HTTPField.Name, values: [String], replacement: String) {
        self.name = name
        self.values = values
        self.replacement = replacement
    }
}

extension FieldNormalization {
    /// Reads a rule as settings have it: `Accept-Language: de*, DE -> de`. `nil` if it is none.
    package init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), let arrow = text[colon...].firstRange(of: "->"),
            let name = HTTPField.Name(String(text[..<colon]).trimmed)
        else { return nil }
        let values = text[text.index(after: colon)..<arrow.lowerBound].split(separator: ",", omittingEmptySubsequences: false).map {
            String($0).trimmed
        }
        let replacement = String(text[arrow.upperBound...]).trimmed
        guard !values.isEmpty, values.allSatisfy({ !$0.isEmpty }), HTTPField.isValidValue(replacement) else { return nil }
        self.init(name, values: values, replacement: replacement)
    }

    /// The rule as settings have it.
    package var text: String { "\(name.rawName): \(values.joined(separator: ", ")) -> \(replacement)" }

    /// Whether the rule is about a value.
    func isAbout(_ value: [UInt8]) -> Bool {
        values.contains { pattern in
            var rest = Array(pattern.utf8)[...]
            let isOpenAtStart = rest.first == UInt8(ascii: "*")
            if isOpenAtStart { rest = rest.dropFirst() }
            let isOpenAtEnd = rest.last == UInt8(ascii: "*") || isOpenAtStart && rest.isEmpty
            if rest.last == UInt8(ascii: "*") { rest = rest.dropLast() }
            return Self.matches(value, Array(rest), isOpenAtStart, isOpenAtEnd)
        }
    }

    private static func matches(_ value: [UInt8], _ text: [UInt8], _ isOpenAtStart: Bool, _ isOpenAtEnd: Bool) -> Bool {
        guard value.count >= text.count else { return false }
        func isEqual(at offset: Int) -> Bool { text.indices.allSatisfy { value[offset + $0].lowercased == text[$0].lowercased } }
        switch (isOpenAtStart, isOpenAtEnd) {
        case (false, false): return value.count == text.count && isEqual(at: 0)
        case (false, true): return isEqual(at: 0)
        case (true, false): return isEqual(at: value.count - text.count)
        case (true, true): return (0...(value.count - text.count)).contains(where: isEqual)
        }
    }
}

extension [FieldNormalization] {
    /// Replaces values by their replacements. O(*n*) in the bytes of the fields that rules name, for each rule.
    func apply(to fields: inout HTTPFields) {
        var done: Set<HTTPField.Name> = []
        for rule in self where !done.contains(rule.name) && fields.has(rule.name) {
            let value = [UInt8](fields.lines(of: rule.name).map(\.trimmed).joined(separator: ", ".utf8))
            guard rule.isAbout(value) else { continue }
            done.insert(rule.name)
            fields[rule.name] = rule.replacement.isEmpty ? nil : rule.replacement
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        String(decoding: Array(utf8).trimmed, as: UTF8.self)
    }
}
