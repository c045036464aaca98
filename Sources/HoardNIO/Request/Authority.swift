// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The rules for host and port in a request: [RFC 9110 §7.2](https://www.rfc-editor.org/rfc/rfc9110#section-7.2),
/// [RFC 3986 §3.2](https://www.rfc-editor.org/rfc/rfc3986#section-3.2).
package enum Authority {
    /// Whether `text` is a host, with or without a port, and nothing else.
    ///
    /// A name may hold letters, digits, `-._~`, sub-delimiters and percent-encoded bytes; in brackets stands an IPv6 address.
    /// User information is refused: [RFC 9110 §4.2.4](https://www.rfc-editor.org/rfc/rfc9110#section-4.2.4).
    package static func isValid(_ text: some StringProtocol) -> Bool {
        let bytes = Array(text.utf8)
        let hostEnd: Int
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")), bracket > 1,
                bytes[1..<bracket].allSatisfy({ $0.isHexDigit || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
            else { return false }
            hostEnd = bracket + 1
        } else {
            hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            guard hostEnd > 0, isName(bytes[..<hostEnd]) else { return false }
        }
        guard hostEnd < bytes.endIndex else { return true }
        return bytes[hostEnd] == UInt8(ascii: ":") && isPort(bytes[(hostEnd + 1)...])
    }

    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "%") {
                guard index + 2 < bytes.endIndex, bytes[index + 1].isHexDigit, bytes[index + 2].isHexDigit else { return false }
                index += 3
            } else {
                guard bytes[index].isAllowedInName else { return false }
                index += 1
            }
        }
        return true
    }

    private static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
        var port = 0
        for digit in digits {
            guard digit.isDigit else { return false }
            port = port * 10 + Int(digit - UInt8(ascii: "0"))
            guard port <= 65_535 else { return false }
        }
        return true
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isHexDigit: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(self)
    }

    fileprivate var isAllowedInName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"): true
        case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="): true
        default: false
        }
    }
}
