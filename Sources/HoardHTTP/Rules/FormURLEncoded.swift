// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A query read as a list of names and values.
///
/// Names and values are compared as bytes: bytes that are not UTF-8 are not replaced, so that different bytes stay
/// different.
///
/// [URL standard, application/x-www-form-urlencoded](https://url.spec.whatwg.org/#application/x-www-form-urlencoded)
struct FormURLEncoded: Hashable, Sendable {
    struct Pair: Hashable, Sendable {
        var name: [UInt8]
        var value: [UInt8]
    }

    var pairs: [Pair]

    /// Takes a query apart. Complexity: O(*n*).
    init(_ query: String) {
        pairs = query.utf8.split(separator: UInt8(ascii: "&")).map { part in
            let name = part.prefix { $0 != .equalsSign }
            return Pair(name: Self.decoded(name), value: Self.decoded(part.dropFirst(name.count + 1)))
        }
    }

    /// A query with the same names and values; the same text for equal lists.
    var text: String {
        var bytes: [UInt8] = []
        for pair in pairs {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            Self.append(pair.name, to: &bytes)
            bytes.append(.equalsSign)
            Self.append(pair.value, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A plus sign is a space; a percent sign with two hexadecimal digits is a byte.
    static func decoded(_ encoded: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var rest = encoded[...]
        while let byte = rest.popFirst() {
            if byte == .percent {
                let digits = rest.prefix(2)
                let values = digits.compactMap(\.hexDigitValue)
                if values.count == 2 {
                    bytes.append(values[0] << 4 | values[1])
                    rest = rest.dropFirst(2)
                    continue
                }
            }
            bytes.append(byte == .plus ? .space : byte)
        }
        return bytes
    }

    /// Appends the text in which only letters, digits and `*-._` stand for themselves.
    static func append(_ text: [UInt8], to bytes: inout [UInt8]) {
        for byte in text {
            switch byte {
            case .space: bytes.append(.plus)
            case UInt8(ascii: "*"), .hyphen, UInt8(ascii: "."), UInt8(ascii: "_"): bytes.append(byte)
            default: if byte.isLetter || byte.isDigit { bytes.append(byte) } else { bytes.append(percentEncoded: byte) }
            }
        }
    }

    /// The text that ``append(_:to:)`` appends.
    static func encoded(_ text: [UInt8]) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
