// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The `http` or `https` URI of a request, in the one spelling that serves as a cache key.
///
/// Scheme and host are in small letters, the default port is left out, an empty path is `/`, dot segments are removed, and in the path
/// percent-encoding is used only where it must be, with capital letters. The query is kept as it is, and a fragment is dropped. Bytes that no URI
/// may contain are percent-encoded in path and query, so a URI is ASCII and comparing strings compares bytes.
///
/// [RFC 9110 §4.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-4.2.3), [RFC 3986 §6.2.2](https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2)
///
/// - Warning: An origin may tell spellings apart that are equal here, such as `/a/%2e%2e/b` and `/b`. Forward ``path`` and ``query`` rather
///   than what the client sent, or what one spelling got would be stored for the other.
package struct TargetURI: Hashable, Sendable {
    /// `http` or `https`.
    package let scheme: String
    /// A name, an IPv4 address, or an IPv6 address in brackets. Never empty.
    package let host: String
    /// `nil` if it is the scheme's default.
    package let port: Int?
    /// Begins with a slash.
    package let path: String
    /// `nil` if there is no question mark.
    package let query: String?

    /// The target of a request, or `nil` if scheme, authority or path are missing or cannot be used.
    package init?(_ request: HTTPRequest) {
        guard let scheme = request.scheme, let authority = request.authority else { return nil }
        var reference = URIReference(scheme: scheme, authority: authority, path: request.path ?? "")
        let path = Substring(reference.path).utf8.prefix { $0 != UInt8(ascii: "#") }
        if let mark = path.firstIndex(of: UInt8(ascii: "?")) {
            reference.path = String(Substring(path[..<mark]))
            reference.query = String(Substring(path[mark...].dropFirst()))
        } else {
            reference.path = String(Substring(path))
        }
        self.init(reference)
    }

    /// The URI of a reference that is not relative, or `nil` if it is none of HTTP's.
    ///
    /// An authority with user information is refused: [RFC 9110 §4.2.4](https://www.rfc-editor.org/rfc/rfc9110#section-4.2.4).
    package init?(_ reference: URIReference) {
        guard let scheme = reference.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let authority = reference.authority.flatMap({ Authority($0) }),
            reference.path.isEmpty || reference.path.utf8.first == UInt8(ascii: "/")
        else { return nil }
        self.scheme = scheme
        self.host = authority.host
        self.port = authority.port == (scheme == "http" ? 80 : 443) ? nil : authority.port
        self.path = reference.path.isEmpty ? "/" : Self.normalizing(path: reference.path)
        self.query = reference.query.map { Self.encodingForbiddenBytes($0) }
    }

    /// Whether both have the same scheme, host and port: [RFC 9110 §4.3.1](https://www.rfc-editor.org/rfc/rfc9110#section-4.3.1).
    package func hasSameOrigin(as other: TargetURI) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }

    /// The URI that `reference`, found in a message about this one, means; `nil` if it is none of HTTP's.
    package func resolving(_ reference: String) -> TargetURI? {
        let base = URIReference(scheme: scheme, authority: authority, path: path, query: query)
        return TargetURI(URIReference(reference).resolved(against: base))
    }

    /// Host and port, as in the `Host` field.
    package var authority: String {
        port.map { "\(host):\($0)" } ?? host
    }

    private static func normalizing(path: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(path.utf8.count)
        var hasDotSegments = false
        var encoded = Substring(path).utf8
        while let byte = encoded.popFirst() {
            var decoded = byte
            if byte == UInt8(ascii: "%"), let high = encoded.first?.hexDigitValue, let low = encoded.dropFirst().first?.hexDigitValue {
                encoded = encoded.dropFirst(2)
                decoded = high << 4 | low
                if !decoded.isUnreservedInURI {
                    bytes.append(percentEncoded: decoded)
                    continue
                }
            } else if byte.isForbiddenInURI {
                bytes.append(percentEncoded: byte)
                continue
            }
            if decoded == UInt8(ascii: "."), bytes.last == UInt8(ascii: "/") { hasDotSegments = true }
            bytes.append(decoded)
        }
        let normalized = String(decoding: bytes, as: UTF8.self)
        return hasDotSegments ? URIReference.removingDotSegments(normalized) : normalized
    }

    private static func encodingForbiddenBytes(_ text: String) -> String {
        guard text.utf8.contains(where: \.isForbiddenInURI) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte.isForbiddenInURI { bytes.append(percentEncoded: byte) } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension TargetURI: CustomStringConvertible {
    /// The URI as a string; equal for equal URIs.
    package var description: String {
        var text = scheme + "://" + authority + path
        if let query { text += "?" + query }
        return text
    }
}

/// Host and port: [RFC 3986 §3.2](https://www.rfc-editor.org/rfc/rfc3986#section-3.2).
private struct Authority {
    let host: String
    let port: Int?

    init?(_ text: String) {
        let bytes = Substring(text).utf8
        guard bytes.allSatisfy({ $0.isAllowedInAuthority }) else { return nil }
        let afterAddress = bytes.lastIndex(of: UInt8(ascii: "]")) ?? bytes.startIndex
        let colon = bytes[afterAddress...].firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        let host = bytes[..<colon]
        let portDigits = bytes[colon...].dropFirst()
        let isBracketed = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]") && host.count > 2
        let inside = isBracketed ? host.dropFirst().dropLast() : host
        guard !host.isEmpty, !inside.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }) else { return nil }
        if portDigits.isEmpty {
            port = nil
        } else {
            guard let number = DeltaSeconds.parse(portDigits), number <= 65_535 else { return nil }
            port = Int(number)
        }
        self.host = String(decoding: host.map(\.lowercased), as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isAllowedInAuthority: Bool {
        switch self {
        case ...0x20, 0x7F...: false
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "\\"): false
        default: true
        }
    }

    /// Controls, the space and everything beyond ASCII.
    fileprivate var isForbiddenInURI: Bool { self <= 0x20 || self >= 0x7F }

    /// RFC 3986 §2.3.
    fileprivate var isUnreservedInURI: Bool {
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: isLetter || isDigit
        }
    }
}
