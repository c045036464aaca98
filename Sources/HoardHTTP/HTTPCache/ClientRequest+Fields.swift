// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension ClientRequest {
    /// The fields of a request that matter to a cache.
    struct Fields: OptionSet, Sendable {
        let rawValue: UInt8

        static let range = Self(rawValue: 1 << 0)
        static let ifRange = Self(rawValue: 1 << 1)
        /// `If-None-Match` or `If-Modified-Since`, which a cache can judge: [RFC 9111 §4.3.2](https://www.rfc-editor.org/rfc/rfc9111#section-4.3.2).
        static let cacheConditions = Self(rawValue: 1 << 2)
        /// `If-Match` or `If-Unmodified-Since`, which only the origin can judge.
        static let originConditions = Self(rawValue: 1 << 3)
        static let authorization = Self(rawValue: 1 << 4)
        /// `Cache-Control` or `Pragma`.
        static let directives = Self(rawValue: 1 << 5)
        /// Fields that do not go beyond the client's connection.
        static let connectionOptions = Self(rawValue: 1 << 6)
        /// `Want-Repr-Digest` or `Want-Content-Digest`: [RFC 9530 §4](https://www.rfc-editor.org/rfc/rfc9530#section-4).
        static let wantedDigests = Self(rawValue: 1 << 7)
    }
}

extension ClientRequest.Fields {
    /// Complexity: O(*n*) in the number of fields.
    init(of fields: HTTPFields) {
        self = []
        for field in fields { formUnion(Self(field.name)) }
    }

    /// The length and the first byte are looked at first: comparing strings takes longer, and most fields are none of these.
    private init(_ name: HTTPField.Name) {
        let text = name.canonicalName
        let first = text.utf8.first ?? 0
        switch text.utf8.count {
        case 5 where text == "range": self = .range
        case 6 where text == "pragma": self = .directives
        case 8 where text == "if-range": self = .ifRange
        case 8 where text == "if-match": self = .originConditions
        case 13 where text == "if-none-match": self = .cacheConditions
        case 13 where text == "cache-control": self = .directives
        case 13 where text == "authorization": self = .authorization
        case 17 where text == "if-modified-since": self = .cacheConditions
        case 16 where text == "want-repr-digest": self = .wantedDigests
        case 19 where text == "want-content-digest": self = .wantedDigests
        case 19 where text == "if-unmodified-since": self = .originConditions
        // Lengths and initials of the names that do not go beyond a connection.
        case 2, 7, 17: self = Self(name, ifFirst: first == UInt8(ascii: "t") || first == UInt8(ascii: "u"))
        case 10: self = Self(name, ifFirst: first == UInt8(ascii: "c") || first == UInt8(ascii: "k"))
        case 16, 18, 19, 25: self = Self(name, ifFirst: first == UInt8(ascii: "p"))
        default: self = []
        }
    }

    private init(_ name: HTTPField.Name, ifFirst mayBe: Bool) {
        self = mayBe && name.isHopByHop ? .connectionOptions : []
    }
}
