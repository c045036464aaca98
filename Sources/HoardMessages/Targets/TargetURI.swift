// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The `http` or `https` URI of a request, in the one spelling that serves as a cache key.
///
/// Scheme and host are in lower case, the default port is left out, an empty path is `/`, and dot segments are removed. Path and query are
/// percent-encoded only where needed, with capital letters. Reserved characters keep their form, encoded or not, and a fragment is dropped. Bytes
/// that no URI may contain are percent-encoded, so a URI is ASCII and comparing strings compares bytes.
///
/// [RFC 9110 §4.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-4.2.3), [RFC 3986 §6.2.2](https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2)
///
/// - Warning: An origin may tell spellings apart that are equal here, such as `/a/%2e%2e/b` and `/b`. Forward ``path`` and ``query`` rather
///   than the client's own spelling, or the response to one spelling would be stored for the other.
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

    /// The path with the query, if there is one, as a request has it: [RFC 9112 §3.2.1](https://www.rfc-editor.org/rfc/rfc9112#section-3.2.1).
    package var pathAndQuery: String { query.map { "\(path)?\($0)" } ?? path }

    /// The target of a request, or `nil` if scheme, authority or path are missing or cannot be used.
    package init?(_ request: HTTPRequest) {
        guard let scheme = request.scheme, let authority = request.authority else { return nil }
        let target = request.path ?? ""
        let bytes = Array(target.utf8)
        guard let end = bytes.firstIndex(where: { $0 == .questionMark || $0 == UInt8(ascii: "#") }) else {
            self.init(scheme: scheme, authority: authority, path: target, query: nil)
            return
        }
        var query: String?
        if bytes[end] == .questionMark {
            query = String(decoding: bytes[(end + 1)...].prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
        }
        self.init(scheme: scheme, authority: authority, path: String(decoding: bytes[..<end], as: UTF8.self), query: query)
    }

    /// The URI of a reference that is not relative, or `nil` if it is none of HTTP's.
    ///
    /// An authority with user information is refused: [RFC 9110 §4.2.4](https://www.rfc-editor.org/rfc/rfc9110#section-4.2.4).
    package init?(_ reference: URIReference) {
        guard let scheme = reference.scheme, let authority = reference.authority else { return nil }
        self.init(scheme: scheme, authority: authority, path: reference.path, query: reference.query)
    }

    /// A URI from its parts, or `nil` if they are none of HTTP's.
    package init?(scheme: String, authority: String, path: String, query: String?) {
        switch scheme {
        case "http", "https": self.scheme = scheme
        default:
            let lowercased = scheme.lowercased()
            guard lowercased == "http" || lowercased == "https" else { return nil }
            self.scheme = lowercased
        }
        guard let authority = Authority(authority), path.isEmpty || path.utf8.first == .slash else { return nil }
        self.host = authority.host
        self.port = authority.port == (self.scheme == "http" ? 80 : 443) ? nil : authority.port
        self.path = path.isEmpty ? "/" : Self.normalizing(path: path)
        self.query = query.map { Self.normalizingEncoding($0) }
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
        let encoded = normalizingEncoding(path)
        var previous: UInt8 = 0
        // Only now, as the dots may have been encoded.
        let mayHaveDotSegments = encoded.utf8.contains { byte in
            defer { previous = byte }
            return byte == UInt8(ascii: ".") && previous == .slash
        }
        return mayHaveDotSegments ? URIReference.removingDotSegments(encoded) : encoded
    }

    /// The text with percent-encoding only where it must be, in capitals.
    ///
    /// A percent sign that encodes nothing stays, and the text that follows it is not decoded if it would get a meaning
    /// by that. [RFC 3986 §6.2.2](https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2)
    private static func normalizingEncoding(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == .percent || $0.isForbiddenInURI }) else { return text }
        let encoded = Array(text.utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var index = 0
        /// Behind the last percent sign that encodes nothing, and the two bytes that could give it a meaning.
        var harmlessFrom = 0
        while index < encoded.count {
            let byte = encoded[index]
            index += 1
            if byte == .percent, index + 1 < encoded.count, let high = encoded[index].hexDigitValue, let low = encoded[index + 1].hexDigitValue {
                index += 2
                let decoded = high << 4 | low
                if decoded.isUnreservedInURI, bytes.count >= harmlessFrom { bytes.append(decoded) } else { bytes.append(percentEncoded: decoded) }
            } else if byte.isForbiddenInURI {
                bytes.append(percentEncoded: byte)
            } else {
                bytes.append(byte)
                if byte == .percent { harmlessFrom = bytes.count + 2 }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension TargetURI: CustomStringConvertible {
    /// The URI as a string; equal for equal URIs.
    package var description: String {
        var text = scheme
        text.reserveCapacity(scheme.utf8.count + host.utf8.count + path.utf8.count + (query?.utf8.count ?? 0) + 10)
        text += "://"
        text += host
        if let port {
            text += ":"
            text += String(port)
        }
        text += path
        if let query {
            text += "?"
            text += query
        }
        return text
    }
}

extension UInt8 {
    /// Controls, the space and everything beyond ASCII.
    fileprivate var isForbiddenInURI: Bool { self <= 0x20 || self >= 0x7F }

    /// RFC 3986 §2.3.
    @inlinable package var isUnreservedInURI: Bool {
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: isLetter || isDigit
        }
    }
}
