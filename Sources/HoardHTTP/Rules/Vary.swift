// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The request fields that select between the stored responses for one URI.
///
/// The fields meant are those of the request that the origin answered: see `removingHopByHopFields()`.
///
/// [RFC 9111 §4.1](https://www.rfc-editor.org/rfc/rfc9111#section-4.1), [RFC 9110 §12.5.5](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.5)
package enum Vary: Hashable, Sendable {
    /// These fields: sorted by name, none twice. Empty if the response has no `Vary`.
    case fields([HTTPField.Name])
    /// Something beyond the fields (`*`): no later request matches. A member that is no field name counts as `*`, and so do too many names.
    case any

    /// A response that names more fields than this is not reused: finding its variant would cost more than it is worth.
    package static let maximumNames = 64

    /// Reads the `Vary` field of a response, and the names that the owner's policy has added (``PolicyField``).
    package init(_ responseFields: HTTPFields) {
        // The names that the owner of the site knows and the response does not say.
        var names = PolicyField(responseFields)?.keyFields.compactMap { HTTPField.Name($0) } ?? []
        for line in responseFields.lines(of: .vary) {
            for member in ListMembers(line) {
                guard names.count < Self.maximumNames, !member.bytes.elementsEqual("*".utf8),
                    let name = HTTPField.Name(String(decoding: member.bytes, as: UTF8.self))
                else {
                    self = .any
                    return
                }
                names.append(name)
            }
        }
        self.init(names)
    }

    /// Selection by the given fields, in any order.
    package init(_ names: some Sequence<HTTPField.Name>) {
        var sorted: [HTTPField.Name] = []
        for name in names.sorted(by: { $0.canonicalName < $1.canonicalName }) where name != sorted.last {
            sorted.append(name)
        }
        self = .fields(sorted)
    }

    /// Selection by the others alone.
    func without(_ others: [HTTPField.Name]) -> Self {
        if case .fields(let names) = self { .fields(names.filter { !others.contains($0) }) } else { self }
    }

    /// The variant that a request selects, or `nil` if no request selects one twice.
    ///
    /// Complexity: O(*n*) in the bytes of the selecting fields, plus the number of names times the number of fields.
    package func variantKey(for requestFields: HTTPFields) -> VariantKey? {
        switch self {
        case .any: nil
        case .fields(let names): VariantKey(names, in: requestFields)
        }
    }
}

/// The values of the request fields that select a response, in a form that can be compared.
///
/// Lines of one field are combined, so `a` and `b` on two lines are `a, b` on one. `Accept`, `Accept-Charset`, `Accept-Encoding` and
/// `Accept-Language`, whose meaning is known, have one spelling for all lists that mean the same, whatever their order, case and spaces: see
/// ``PreferenceList``. If such a field breaks its grammar, only spaces around commas and semicolons are ignored, and its value is equal to
/// none that keeps it. An absent field differs from an empty one.
///
/// [RFC 9111 §4.1](https://www.rfc-editor.org/rfc/rfc9111#section-4.1)
package struct VariantKey: Hashable, Sendable {
    /// The names and values in ASCII: the same text for equal keys and different texts for different ones. Empty if there are no selecting fields.
    ///
    /// Bytes beyond ASCII and percent signs are percent-encoded, so that comparing the texts compares the bytes. Each name and value ends in a
    /// line feed, which neither can hold; a colon follows the name of a field that is present, and no name can hold that.
    package let text: String

    /// The bytes of ``text``.
    package var bytes: [UInt8] { Array(text.utf8) }

    fileprivate init(_ names: [HTTPField.Name], in fields: HTTPFields) {
        var bytes: [UInt8] = []
        for name in names {
            bytes += name.canonicalName.utf8
            let lines = fields.lines(of: name)
            if !lines.isEmpty {
                bytes.append(.colon)
                Self.append(lines, of: name, to: &bytes)
            }
            bytes.append(UInt8(ascii: "\n"))
        }
        self.text = String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ lines: [[UInt8]], of name: HTTPField.Name, to bytes: inout [UInt8]) {
        switch name.canonicalName {
        case "accept", "accept-charset", "accept-encoding", "accept-language":
            if let list = PreferenceList(lines, hasParameters: name == .accept) {
                append(list.bytes[...], to: &bytes)
                return
            }
            // No list that keeps the grammar begins so: `en;q=500` is no spelling of `en;q=0.5`, whose key has the weight in thousandths.
            bytes.append(.questionMark)
            var isFirst = true
            for line in lines {
                for member in ListMembers(line) {
                    if !isFirst { bytes.append(.comma) }
                    isFirst = false
                    append(withoutSpacesAroundSemicolons(member.bytes), to: &bytes)
                }
            }
        default:
            let separator = name == .cookie ? "; " : ", "
            for (index, line) in lines.enumerated() {
                if index > 0 { bytes += separator.utf8 }
                append(line.trimmed, to: &bytes)
            }
        }
    }

    private static func append(_ value: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        for byte in value {
            if byte >= 0x7F || byte == .percent {
                bytes.append(percentEncoded: byte)
            } else {
                bytes.append(byte)
            }
        }
    }

    private static func withoutSpacesAroundSemicolons(_ member: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard member.contains(.semicolon) else { return member }
        var kept: [UInt8] = []
        var isQuoted = false
        var previousIsEscape = false
        for byte in member {
            if byte == .doubleQuote, !previousIsEscape { isQuoted.toggle() }
            previousIsEscape = isQuoted && byte == .backslash && !previousIsEscape
            if !isQuoted, byte == .semicolon {
                while kept.last?.isOptionalWhitespace == true { kept.removeLast() }
            }
            if !isQuoted, byte.isOptionalWhitespace, kept.last == .semicolon { continue }
            kept.append(byte)
        }
        return kept[...]
    }
}
