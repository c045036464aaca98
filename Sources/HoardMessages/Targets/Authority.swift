// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The host and the port of a URI or a request. Servers, clients, caches and routes read them by this grammar: two readings of one host would be a danger.
///
/// A name may hold letters, digits, `-._~`, sub-delimiters and percent-encoded bytes; in brackets stands an IPv6 address. User information is refused.
///
/// [RFC 9110 §7.2](https://www.rfc-editor.org/rfc/rfc9110#section-7.2), [§4.2.4](https://www.rfc-editor.org/rfc/rfc9110#section-4.2.4),
/// [RFC 3986 §3.2](https://www.rfc-editor.org/rfc/rfc3986#section-3.2)
package struct Authority: Hashable, Sendable {
    /// A name or an IPv4 address in small letters, or an IPv6 address in brackets. Never empty.
    package let host: String
    /// `nil` if there is none, or an empty one.
    package let port: Int?

    /// Reads a host, with or without a port, and nothing else. Complexity: O(*n*).
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard let hostEnd = Self.endOfHost(bytes) else { return nil }
        if hostEnd < bytes.endIndex {
            guard bytes[hostEnd] == .colon, let port = Self.port(bytes[(hostEnd + 1)...]) else { return nil }
            self.port = port
        } else {
            port = nil
        }
        let host = bytes[..<hostEnd]
        self.host = String(decoding: host.contains { $0 != $0.lowercased } ? host.map(\.lowercased)[...] : host, as: UTF8.self)
    }

    /// Whether `text` is a host, with or without a port, and nothing else.
    package static func isValid(_ text: some StringProtocol) -> Bool { Authority(text) != nil }

    /// The host without the brackets of an IPv6 address and without the dot that may end a name.
    package var name: String { host.utf8.first == UInt8(ascii: "[") ? String(host.dropFirst().dropLast()) : Self.withoutDot(host) }

    /// A host without the dot that may end a name.
    package static func withoutDot(_ host: String) -> String {
        host.utf8.last == UInt8(ascii: ".") && host.utf8.count > 1 ? String(host.dropLast()) : host
    }

    private static func endOfHost(_ bytes: [UInt8]) -> Int? {
        guard bytes.first == UInt8(ascii: "[") else {
            let end = bytes.firstIndex(of: .colon) ?? bytes.endIndex
            return end > 0 && isName(bytes[..<end]) ? end : nil
        }
        guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")), bracket > 1,
            bytes[1..<bracket].allSatisfy({ $0.hexDigitValue != nil || $0 == .colon || $0 == UInt8(ascii: ".") })
        else { return nil }
        return bracket + 1
    }

    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == .percent {
                guard index + 2 < bytes.endIndex, bytes[index + 1].hexDigitValue != nil, bytes[index + 2].hexDigitValue != nil else { return false }
                index += 3
            } else {
                guard bytes[index].isAllowedInName else { return false }
                index += 1
            }
        }
        return true
    }

    /// - Returns: `nil` if it is no port; `.some(nil)` if it is empty.
    private static func port(_ digits: ArraySlice<UInt8>) -> Int?? {
        if digits.isEmpty { return .some(nil) }
        guard let port = Int(saturatingDigits: digits), port <= 65_535 else { return nil }
        return port
    }
}

extension UInt8 {
    fileprivate var isAllowedInName: Bool {
        if isUnreservedInURI { return true }
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"): return true
        case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="): return true
        default: return false
        }
    }
}
