// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// Where the content of a 206 lies in the whole, or how long the whole is of which a 416 has nothing to send: the `Content-Range` field, in bytes.
///
/// [RFC 9110 §14.4](https://www.rfc-editor.org/rfc/rfc9110#section-14.4)
package struct ContentRange: Hashable, Sendable {
    /// Not empty; `nil` in a 416.
    package let range: Range<Int>?
    /// The length of the whole; `nil` if the sender does not know it. Not both this and ``range`` are `nil`.
    package let completeLength: Int?

    /// Reads the field of a response or of a part.
    ///
    /// - Returns: `nil` if it is absent, malformed, in another unit than bytes, if several lines contradict each other, or if a number is too large
    ///   to be a length.
    package init?(_ fields: HTTPFields) {
        guard let line = fields.singleLine(of: .contentRange) else { return nil }
        let bytes = line.trimmed
        let unit = bytes.prefix { $0.isTokenCharacter }
        let value = bytes[unit.endIndex...]
        guard unit.lowercasedEquals(Array("bytes".utf8)), value.first == .space, let slash = value.firstIndex(of: .slash) else { return nil }
        let (place, length) = (value[..<slash].dropFirst(), value[(slash + 1)...])
        if length.elementsEqual("*".utf8) {
            completeLength = nil
        } else {
            guard let length = Self.number(length) else { return nil }
            completeLength = length
        }
        if place.elementsEqual("*".utf8) {
            guard completeLength != nil else { return nil }
            range = nil
        } else {
            guard let hyphen = place.firstIndex(of: .hyphen), let first = Self.number(place[..<hyphen]),
                let last = Self.number(place[(hyphen + 1)...]),
                first <= last, last < completeLength ?? .max
            else { return nil }
            range = first..<(last + 1)
        }
    }

    /// The value for content that is `range` of the whole. The range must not be empty.
    package static func fieldValue(_ range: Range<Int>, completeLength: Int?) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(completeLength.map(String.init) ?? "*")"
    }

    /// The value for a 416: [RFC 9110 §15.5.17](https://www.rfc-editor.org/rfc/rfc9110#section-15.5.17).
    package static func unsatisfied(completeLength: Int) -> String {
        "bytes */\(completeLength)"
    }

    /// A number that is not so large that it had to be rounded.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        Int(saturatingDigits: digits).flatMap { $0 == .max ? nil : $0 }
    }
}
