// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import RawStructuredFieldValues

/// The members of a structured field that is a dictionary. Each key occurs once, with the last of its values.
///
/// [RFC 9651 §3.2](https://www.rfc-editor.org/rfc/rfc9651#section-3.2)
typealias StructuredDictionary = OrderedMap<String, ItemOrInnerList>

/// The limits of a structured field that is read. No honest message has a longer one, and reading it takes time.
enum StructuredFieldLimits {
    static let bytes = 16_384
    static let members = 256

    /// Whether the value of a field is read.
    static func include(_ bytes: [UInt8]) -> Bool { bytes.count <= Self.bytes && bytes.count(where: { $0 == .comma }) < members }
}

extension HTTPFields {
    /// Whether there is a field of that name. Unlike `contains(_:)` it makes no index, so it allocates nothing. O(*n*).
    func has(_ name: HTTPField.Name) -> Bool { contains { $0.name == name } }

    /// The members of a field that is a dictionary, of all its lines.
    ///
    /// [RFC 9651 §4.2](https://www.rfc-editor.org/rfc/rfc9651#section-4.2): a field with any mistake in it is worth nothing.
    ///
    /// - Returns: `nil` if the field is absent, empty, malformed, or beyond ``StructuredFieldLimits``. Never empty.
    func structuredDictionary(of name: HTTPField.Name) -> StructuredDictionary? {
        guard has(name) else { return nil }
        return StructuredDictionary(fieldValue: Array(lines(of: name).map(\.trimmed).joined(separator: ", ".utf8)))
    }
}

extension HTTPFields {
    /// The members of a field that is a list of strings, of all its lines, each once and without its parameters.
    ///
    /// - Returns: `nil` if the field is absent, malformed, beyond ``StructuredFieldLimits``, or has a member of another type.
    func structuredStrings(of name: HTTPField.Name) -> [String]? {
        guard has(name) else { return nil }
        let bytes = Array(lines(of: name).map(\.trimmed).joined(separator: ", ".utf8))
        guard StructuredFieldLimits.include(bytes) else { return nil }
        var parser = StructuredFieldValueParser(bytes)
        guard let members = try? parser.parseListFieldValue() else { return nil }
        var strings: [String] = []
        var seen: Set<String> = []
        for member in members {
            guard case .string(let string)? = member.bareItem else { return nil }
            if seen.insert(string).inserted { strings.append(string) }
        }
        return strings
    }
}

extension StructuredDictionary {
    /// Reads the value of a field; `nil` if it is empty or malformed.
    init?(fieldValue bytes: [UInt8]) {
        guard StructuredFieldLimits.include(bytes) else { return nil }
        var parser = StructuredFieldValueParser(bytes)
        guard let members = try? parser.parseDictionaryFieldValue(), !members.isEmpty else { return nil }
        self = members
    }
}

extension ItemOrInnerList {
    /// The value without its parameters; `nil` of a list.
    var bareItem: RFC9651BareItem? {
        switch self {
        case .item(let item): item.rfc9651BareItem
        case .innerList: nil
        }
    }

    /// The strings of a list that holds nothing else, without the parameters of list and strings; `nil` of anything else.
    var strings: [String]? {
        guard case .innerList(let list) = self else { return nil }
        var strings: [String] = []
        for item in list.bareInnerList {
            guard case .string(let string) = item.rfc9651BareItem else { return nil }
            strings.append(string)
        }
        return strings
    }
}
