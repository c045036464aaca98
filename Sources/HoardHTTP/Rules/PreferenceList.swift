// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A client's preferences, in one spelling for all lists that mean the same: `Accept`, `Accept-Charset`, `Accept-Encoding`,
/// `Accept-Language`.
///
/// [RFC 9110 §12.4.2](https://www.rfc-editor.org/rfc/rfc9110#section-12.4.2), [§12.5](https://www.rfc-editor.org/rfc/rfc9110#section-12.5)
struct PreferenceList {
    /// The members, divided by commas: the highest weight first, by name among equals, none twice. Names are in small letters; a weight stands in
    /// thousandths, and only if it is not 1.
    ///
    /// The specification gives no meaning to the order of members of one weight
    /// ([§12.5.4](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4)). Lists with different weights stay different,
    /// even where the order of preference is the same.
    let bytes: [UInt8]

    /// - Parameter hasParameters: Whether members may have parameters beside the weight, as media ranges do.
    /// - Returns: `nil` if a member breaks the grammar; the meaning of the list is then unknown.
    init?(_ lines: [[UInt8]], hasParameters: Bool) {
        var members: [Member] = []
        for line in lines {
            for member in ListMembers(line) {
                guard let member = Member(member, hasParameters: hasParameters) else { return nil }
                members.append(member)
            }
        }
        members.sort()
        var bytes: [UInt8] = []
        var previous: Member?
        for member in members where member != previous {
            if previous != nil { bytes.append(.comma) }
            bytes += member.text
            previous = member
        }
        self.bytes = bytes
    }

    private struct Member: Comparable {
        /// In thousandths.
        let weight: Int
        /// All of the member, the weight included.
        let text: [UInt8]

        init?(_ member: ListMembers.Member, hasParameters: Bool) {
            let bytes = member.bytes
            let nameEnd = bytes.firstIndex(of: .semicolon) ?? bytes.endIndex
            let name = bytes[..<nameEnd].trimmed
            guard !member.isDamaged, Self.isName(name, isMediaRange: hasParameters) else { return nil }
            var text = name.map(\.lowercased)
            var weight: Int?
            if nameEnd < bytes.endIndex {
                let parts = Self.parts(bytes[(nameEnd + 1)...])
                for (index, part) in parts.enumerated() {
                    if weight == nil, part.count >= 2, part.first?.lowercased == UInt8(ascii: "q"), part[part.startIndex + 1] == .equalsSign {
                        guard let thousandths = Self.thousandths(part.dropFirst(2)) else { return nil }
                        weight = thousandths
                        // Parts that follow the weight are no parameters of the media range any more, so the weight then has to stay visible.
                        if thousandths != 1_000 || index < parts.count - 1 { text += ";q=\(thousandths)".utf8 }
                    } else {
                        let attribute = part.prefix { $0 != .equalsSign }
                        guard hasParameters, !attribute.isEmpty, attribute.allSatisfy(\.isTokenCharacter) else { return nil }
                        text.append(.semicolon)
                        text += attribute.map(\.lowercased)
                        text += part[attribute.endIndex...]
                    }
                }
            }
            self.weight = weight ?? 1_000
            self.text = text
        }

        static func < (left: Self, right: Self) -> Bool {
            left.weight == right.weight ? left.text.lexicographicallyPrecedes(right.text) : left.weight > right.weight
        }

        /// The parameters, split at the semicolons that are not within quotes, each trimmed.
        private static func parts(_ parameters: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
            var parts: [ArraySlice<UInt8>] = []
            var start = parameters.startIndex
            var isQuoted = false
            var isEscaped = false
            for index in parameters.indices {
                let byte = parameters[index]
                if byte == .doubleQuote, !isEscaped { isQuoted.toggle() }
                isEscaped = isQuoted && byte == .backslash && !isEscaped
                if byte == .semicolon, !isQuoted {
                    parts.append(parameters[start..<index].trimmed)
                    start = index + 1
                }
            }
            parts.append(parameters[start...].trimmed)
            return parts
        }

        /// `text/html`, `*/*`, or one token.
        private static func isName(_ name: ArraySlice<UInt8>, isMediaRange: Bool) -> Bool {
            let type = name.prefix { $0.isTokenCharacter }
            guard !type.isEmpty else { return false }
            if !isMediaRange { return type.endIndex == name.endIndex }
            let rest = name[type.endIndex...]
            return rest.count > 1 && rest.first == .slash && rest.dropFirst().allSatisfy(\.isTokenCharacter)
        }

        /// `0`, `0.5`, `1.000`: up to three decimals, and not more than 1.
        private static func thousandths(_ text: ArraySlice<UInt8>) -> Int? {
            guard let first = text.first, first == 0x30 || first == 0x31, text.count <= 5 else { return nil }
            let fraction = text.dropFirst(2)
            guard text.count == 1 || text[text.startIndex + 1] == UInt8(ascii: "."), fraction.allSatisfy(\.isDigit) else { return nil }
            var thousandths = first == 0x31 ? 1_000 : 0
            for (digit, value) in zip(fraction, [100, 10, 1]) { thousandths += Int(digit - 0x30) * value }
            return thousandths <= 1_000 ? thousandths : nil
        }
    }
}
