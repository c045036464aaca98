// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The parts of a record that are text: tags, validator and content type, as one blob.
///
/// The blob is the number of tags, the tags in ascending order of their UTF-8, then validator and content type. A number is a
/// little-endian `UInt32`; a text is its length and its UTF-8; an absent text has the length `UInt32.max`. One blob
/// instead of columns keeps text that holds NUL intact, tells the empty text from none, and is never empty.
struct RecordDetails: Hashable, Sendable {
    var tags: Set<String> = []
    var validator: String?
    var contentType: String?

    private static let absent = UInt32.max
}

extension RecordDetails {
    var encoded: Data {
        var bytes = Data(capacity: 64)
        Self.append(UInt32(clamping: tags.count), to: &bytes)
        for tag in tags.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            Self.append(tag, to: &bytes)
        }
        Self.append(validator, to: &bytes)
        Self.append(contentType, to: &bytes)
        return bytes
    }

    private static func append(_ text: String?, to bytes: inout Data) {
        guard let text else { return append(absent, to: &bytes) }
        append(UInt32(clamping: text.utf8.count), to: &bytes)
        bytes.append(contentsOf: text.utf8)
    }

    private static func append(_ number: UInt32, to bytes: inout Data) {
        for shift in stride(from: 0, to: UInt32(32), by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

extension RecordDetails {
    /// Reads what ``encoded`` wrote. `nil` if the bytes are anything else; never traps.
    init?(encoded: Data) {
        var reader = Reader(bytes: Array(encoded))
        guard let tagCount = reader.number() else { return nil }
        for _ in 0..<tagCount {
            guard case .some(.some(let tag)) = reader.text() else { return nil }
            tags.insert(tag)
        }
        guard let validator = reader.text(), let contentType = reader.text(), reader.isAtEnd else { return nil }
        self.validator = validator
        self.contentType = contentType
    }

    private struct Reader {
        let bytes: [UInt8]
        var offset = 0

        var isAtEnd: Bool { offset == bytes.count }

        mutating func number() -> UInt32? {
            guard let range = take(4) else { return nil }
            return bytes[range].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }

        /// The next text; `.some(nil)` if the text is absent, `nil` if the bytes are no text.
        mutating func text() -> String?? {
            guard let count = number() else { return nil }
            if count == absent { return .some(nil) }
            guard let range = take(Int(count)), let text = String(validating: bytes[range], as: UTF8.self) else { return nil }
            return text
        }

        private mutating func take(_ count: Int) -> Range<Int>? {
            guard count <= bytes.count - offset else { return nil }
            defer { offset += count }
            return offset..<(offset + count)
        }
    }
}
