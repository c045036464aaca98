// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import RawStructuredFieldValues

/// The use as a dictionary that a response allows: [RFC 9842 §2.1](https://www.rfc-editor.org/rfc/rfc9842#section-2.1).
struct DictionaryUse: Sendable {
    let pattern: DictionaryPattern
    /// In bytes as it was written.
    let patternLength: Int
    /// As a client repeats it; `nil` if there is none.
    let id: String?
    /// Whether it is meant for requests whose destination is not known.
    let isForAnyDestination: Bool

    /// Reads `Use-As-Dictionary`.
    ///
    /// - Returns: `nil` if the field is absent or malformed, if its type is not `raw`, or if its pattern is none that can be compared here.
    init?(_ fields: HTTPFields, of uri: String) {
        guard let members = fields.structuredDictionary(of: .useAsDictionary), case .string(let match)? = members["match"]?.bareItem else {
            return nil
        }
        if let type = members["type"] {
            guard case .token("raw")? = type.bareItem else { return nil }
        }
        guard let pattern = DictionaryPattern(match, of: uri) else { return nil }
        self.pattern = pattern
        patternLength = match.utf8.count
        if case .string(let id)? = members["id"]?.bareItem, !id.isEmpty, id.utf8.count <= 1_024 {
            self.id = "\"\(id.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        } else {
            id = nil
        }
        let destinations = members["match-dest"].map { $0.strings ?? ["?"] } ?? []
        isForAnyDestination = destinations.isEmpty || destinations.contains("")
    }
}

/// The URLs that a dictionary is meant for: a [URL Pattern](https://urlpattern.spec.whatwg.org) of the dictionary's own
/// origin, of texts, `*` and `:name`.
///
/// Regular expressions, which RFC 9842 forbids, and groups in braces are not read.
struct DictionaryPattern: Hashable, Sendable {
    private enum Part: Hashable, Sendable {
        case text([UInt8])
        /// Any text.
        case any
        /// Any text without a slash.
        case segment
    }

    private let origin: Substring
    private let path: [Part]
    /// `nil`: any query.
    private let query: [Part]?

    /// - Parameter uri: The normalised URI of the dictionary, of which relative patterns are.
    init?(_ pattern: String, of uri: String) {
        guard pattern.utf8.count <= 1_024 else { return nil }
        let own = Self.parts(of: uri)
        var (path, query) = (pattern[...], Substring?.none)
        if pattern.contains("://") {
            let given = Self.parts(of: pattern)
            guard given.origin == own.origin else { return nil }
            (path, query) = (given.path.isEmpty ? "/*" : given.path, given.query)
        } else {
            if let mark = pattern.firstIndex(of: "?") { (path, query) = (pattern[..<mark], pattern[pattern.index(after: mark)...]) }
            if !path.hasPrefix("/") {
                guard let slash = own.path.lastIndex(of: "/") else { return nil }
                path = own.path[...slash] + path
            }
        }
        guard let pathParts = Self.parts(path) else { return nil }
        origin = own.origin
        self.path = pathParts
        if let query {
            guard let queryParts = Self.parts(query) else { return nil }
            self.query = queryParts
        } else {
            self.query = nil
        }
    }

    /// Scheme and authority, path, and query of a URI.
    static func parts(of uri: String) -> (origin: Substring, path: Substring, query: Substring?) {
        let origin = CacheGroups.origin(of: uri)
        let rest = uri[origin.endIndex...]
        guard let mark = rest.firstIndex(of: "?") else { return (origin, rest, nil) }
        return (origin, rest[..<mark], rest[rest.index(after: mark)...])
    }

    /// - Returns: `nil` if it has more than texts, `*` and `:name`.
    private static func parts(_ pattern: some StringProtocol) -> [Part]? {
        var parts: [Part] = []
        var text: [UInt8] = []
        let bytes = Array(pattern.utf8)
        var index = 0
        func isLetter(_ byte: UInt8) -> Bool {
            let lowercased = byte | 0x20
            return (0x30...0x39).contains(byte) || (0x61...0x7A).contains(lowercased) || byte == UInt8(ascii: "_")
        }
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "*"), UInt8(ascii: ":"):
                if !text.isEmpty { parts.append(.text(text)) }
                text = []
                if bytes[index] == UInt8(ascii: "*") {
                    parts.append(.any)
                    index += 1
                } else {
                    let end = bytes[(index + 1)...].firstIndex { !isLetter($0) } ?? bytes.count
                    guard end > index + 1 else { return nil }
                    parts.append(.segment)
                    index = end
                }
            case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "\\"), UInt8(ascii: "+"), UInt8(ascii: "?"):
                return nil
            default:
                text.append(bytes[index])
                index += 1
            }
        }
        if !text.isEmpty { parts.append(.text(text)) }
        return parts.count <= 16 ? parts : nil
    }

    /// Whether the pattern is about a normalised URI. O(*n* *m*) in the bytes of the URI and the parts of the pattern.
    func matches(_ uri: String) -> Bool {
        let parts = Self.parts(of: uri)
        guard parts.origin == origin, Self.matches(path, Array(parts.path.utf8)) else { return false }
        return query.map { Self.matches($0, Array((parts.query ?? "").utf8)) } ?? true
    }

    private static func matches(_ parts: [Part], _ text: [UInt8]) -> Bool {
        // The places up to which the parts so far can reach.
        var ends: Set<Int> = [0]
        for part in parts {
            var next: Set<Int> = []
            switch part {
            case .text(let bytes):
                for end in ends where text[end...].starts(with: bytes) { next.insert(end + bytes.count) }
            case .any:
                if let first = ends.min() { next = Set(first...text.count) }
            case .segment:
                for start in ends {
                    var end = start
                    while end < text.count, text[end] != UInt8(ascii: "/") {
                        end += 1
                        if !next.insert(end).inserted { break }
                    }
                }
            }
            if next.isEmpty { return false }
            ends = next
        }
        return ends.contains(text.count)
    }
}
