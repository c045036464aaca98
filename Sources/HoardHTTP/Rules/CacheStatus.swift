// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// How a cache handled a request, for the `Cache-Status` field of the response.
///
/// The value is a structured field: [RFC 8941](https://www.rfc-editor.org/rfc/rfc8941). Whatever the properties hold, it is well formed:
/// names and details that are no tokens are quoted, and bytes that a structured field cannot hold become `?`.
///
/// [RFC 9211](https://www.rfc-editor.org/rfc/rfc9211)
package struct CacheStatus: Hashable, Sendable {
    /// The reason why a request went to the origin: [RFC 9211 §2.2](https://www.rfc-editor.org/rfc/rfc9211#section-2.2).
    package struct ForwardReason: Hashable, Sendable {
        fileprivate let token: String

        /// The cache was told not to handle the request.
        package static let bypass = Self(token: "bypass")
        /// The method's semantics require it.
        package static let method = Self(token: "method")
        /// Nothing is stored for the URI.
        package static let uriMiss = Self(token: "uri-miss")
        /// Something is stored for the URI, but nothing that the request selects.
        package static let varyMiss = Self(token: "vary-miss")
        /// Nothing stored could be used; why is not known more exactly.
        package static let miss = Self(token: "miss")
        /// Something fresh is stored, but the request's directives forbid its use.
        package static let request = Self(token: "request")
        /// Something is stored, but stale.
        package static let stale = Self(token: "stale")
        /// Only a part of the requested content is stored.
        package static let partial = Self(token: "partial")
    }

    /// The details of a forwarded request.
    package struct Forwarding: Hashable, Sendable {
        package var reason: ForwardReason
        /// The status of the origin's response, if it came: [RFC 9211 §2.3](https://www.rfc-editor.org/rfc/rfc9211#section-2.3).
        package var status: Int?
        /// Whether the response was stored: [RFC 9211 §2.5](https://www.rfc-editor.org/rfc/rfc9211#section-2.5).
        package var isStored: Bool
        /// Whether the request shared another's: [RFC 9211 §2.6](https://www.rfc-editor.org/rfc/rfc9211#section-2.6).
        package var isCollapsed: Bool

        package init(_ reason: ForwardReason, status: Int? = nil, isStored: Bool = false, isCollapsed: Bool = false) {
            self.reason = reason
            self.status = status
            self.isStored = isStored
            self.isCollapsed = isCollapsed
        }
    }

    package enum Outcome: Hashable, Sendable {
        /// The response came from the cache: [RFC 9211 §2.1](https://www.rfc-editor.org/rfc/rfc9211#section-2.1).
        case hit
        case forwarded(Forwarding)
        /// The cache made the response up, such as the 504 for `only-if-cached`.
        case generated
    }

    /// Names this cache among those on the way.
    package var cacheName: String
    package var outcome: Outcome
    /// For how many seconds the response stays fresh, negative if stale; written in whole seconds, rounded down:
    /// [RFC 9211 §2.4](https://www.rfc-editor.org/rfc/rfc9211#section-2.4).
    package var timeToLive: Double?
    /// The cache key: [RFC 9211 §2.7](https://www.rfc-editor.org/rfc/rfc9211#section-2.7). It may tell users secrets.
    package var key: String?
    /// Anything else, such as ``Storability/Reason/token``: [RFC 9211 §2.8](https://www.rfc-editor.org/rfc/rfc9211#section-2.8).
    package var detail: String?

    package init(cacheName: String, _ outcome: Outcome, timeToLive: Double? = nil, key: String? = nil, detail: String? = nil) {
        self.cacheName = cacheName
        self.outcome = outcome
        self.timeToLive = timeToLive
        self.key = key
        self.detail = detail
    }

    /// The member for this cache. Complexity: O(*n*) in the length of the strings.
    package var fieldValue: String {
        // One allocation, since an answer from memory should take little more.
        var value = ""
        value.reserveCapacity(cacheName.utf8.count + (key?.utf8.count ?? 0) + (detail?.utf8.count ?? 0) + 72)
        value += StructuredValue.tokenOrString(cacheName)
        switch outcome {
        case .hit:
            value += "; hit"
        case .forwarded(let forwarding):
            value += "; fwd="
            value += forwarding.reason.token
            if let status = forwarding.status {
                value += "; fwd-status="
                value += StructuredValue.integer(Int64(status))
            }
        case .generated:
            break
        }
        if let timeToLive {
            value += "; ttl="
            value += StructuredValue.integer(roundedDown: timeToLive)
        }
        if case .forwarded(let forwarding) = outcome {
            if forwarding.isStored { value += "; stored" }
            if forwarding.isCollapsed { value += "; collapsed" }
        }
        if let key {
            value += "; key="
            value += StructuredValue.string(key)
        }
        if let detail {
            value += "; detail="
            value += StructuredValue.tokenOrString(detail)
        }
        return value
    }

    /// Adds this cache to the caches that have reported already. The last one is the closest to the user.
    ///
    /// [RFC 9211 §2](https://www.rfc-editor.org/rfc/rfc9211#section-2)
    package func append(to fields: inout HTTPFields) {
        fields.append(HTTPField(name: .cacheStatus, value: fieldValue))
    }
}

/// Items of a structured field: [RFC 8941 §4.1](https://www.rfc-editor.org/rfc/rfc8941#section-4.1).
private enum StructuredValue {
    private static let largestInteger: Int64 = 999_999_999_999_999

    static func integer(_ number: Int64) -> String {
        String(min(max(number, -largestInteger), largestInteger))
    }

    static func integer(roundedDown number: Double) -> String {
        let limit = Double(largestInteger)
        return integer(number.isNaN ? 0 : Int64(min(max(number.rounded(.down), -limit), limit)))
    }

    static func tokenOrString(_ text: String) -> String {
        isToken(text) ? text : string(text)
    }

    /// Backslash and quote are escaped; bytes other than printable ASCII cannot be represented.
    static func string(_ text: String) -> String {
        var bytes: [UInt8] = [.doubleQuote]
        for byte in text.utf8 {
            if byte == .doubleQuote || byte == .backslash { bytes.append(.backslash) }
            bytes.append(byte >= 0x20 && byte < 0x7F ? byte : UInt8(ascii: "?"))
        }
        bytes.append(.doubleQuote)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isToken(_ text: String) -> Bool {
        guard let first = text.utf8.first, first.isLetter || first == UInt8(ascii: "*") else { return false }
        return text.utf8.allSatisfy { $0.isTokenCharacter || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
    }
}
