// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The part of a header in front of its key. ``RecordHeader`` says how it is written.
///
/// Stores of format 4 and before have headers of version 1, and of version 2 if an extension follows. In these, every part has its place:
///
/// | offset | |
/// | --: | --- |
/// | 0 | version: 1 or 2 |
/// | 1 | ``RecordHeader/Flags`` |
/// | 2 | number of tags, 2 bytes |
/// | 4 | length of the key, 4 bytes |
/// | 8 | created, fresh until, stale until, last access, 8 bytes each; 0 where absent |
/// | 40 | schema fingerprint, length of the payload, root, 8 bytes each |
/// | 64 | the key |
struct RecordHeaderFields {
    let flags: RecordHeader.Flags
    let created: Date
    var freshUntil: Date?
    var staleUntil: Date?
    let lastAccess: Date
    var schemaFingerprint: UInt64 = 0
    var root: UInt64 = 0
    let tagCount: Int
    let keyByteCount: Int
    let payloadByteCount: Int
    let hasExtension: Bool
    /// Where the key begins.
    let byteCount: Int

    /// `nil` if the bytes cannot be a header of a known version, or are too few for its key.
    init?(_ bytes: UnsafeRawBufferPointer) {
        switch bytes.first {
        case RecordHeader.version: self.init(compact: bytes)
        case 1, 2: self.init(placed: bytes)
        default: return nil
        }
        guard keyByteCount >= 0, keyByteCount <= bytes.count - byteCount, payloadByteCount >= 0 else { return nil }
    }

    private init?(compact bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 3 else { return nil }
        let parts = RecordHeader.Parts(rawValue: bytes[2])
        guard parts.isSubset(of: .known) else { return nil }
        flags = RecordHeader.Flags(rawValue: bytes[1])
        var rest = HeaderCursor(bytes: bytes, offset: 3)
        created = rest.date()
        if flags.contains(.hasFreshUntil) { freshUntil = rest.date() }
        if flags.contains(.hasStaleUntil) { staleUntil = rest.date() }
        lastAccess = parts.contains(.hasLastAccess) ? rest.date() : created
        if parts.contains(.hasSchemaFingerprint) { schemaFingerprint = rest.integer(UInt64.self) }
        if parts.contains(.hasRoot) { root = rest.integer(UInt64.self) }
        tagCount = parts.contains(.hasTags) ? Int(rest.integer(UInt16.self)) : 0
        keyByteCount = rest.length()
        payloadByteCount = rest.length()
        hasExtension = parts.contains(.hasExtension)
        byteCount = rest.offset
        if rest.isBroken { return nil }
    }

    /// Reads version 1 or 2.
    private init?(placed bytes: UnsafeRawBufferPointer) {
        byteCount = 64
        guard bytes.count >= byteCount else { return nil }
        func date(at offset: Int) -> Date {
            Date(timeIntervalSinceReferenceDate: Double(bitPattern: bytes.integer(at: offset, as: UInt64.self)))
        }
        flags = RecordHeader.Flags(rawValue: bytes[1])
        created = date(at: 8)
        freshUntil = flags.contains(.hasFreshUntil) ? date(at: 16) : nil
        staleUntil = flags.contains(.hasStaleUntil) ? date(at: 24) : nil
        lastAccess = date(at: 32)
        schemaFingerprint = bytes.integer(at: 40, as: UInt64.self)
        root = bytes.integer(at: 56, as: UInt64.self)
        tagCount = Int(bytes.integer(at: 2, as: UInt16.self))
        keyByteCount = Int(truncatingIfNeeded: bytes.integer(at: 4, as: UInt32.self))
        payloadByteCount = Int(truncatingIfNeeded: bytes.integer(at: 48, as: UInt64.self))
        hasExtension = bytes[0] == 2
    }
}

/// Reads parts of a header, one behind the other. Each is zero if it is not there, and the header is broken then.
private struct HeaderCursor {
    let bytes: UnsafeRawBufferPointer
    var offset: Int
    private(set) var isBroken = false

    init(bytes: UnsafeRawBufferPointer, offset: Int) {
        self.bytes = bytes
        self.offset = offset
    }

    mutating func integer<Integer: FixedWidthInteger & BitwiseCopyable>(_ type: Integer.Type) -> Integer {
        let end = offset + MemoryLayout<Integer>.size
        guard end <= bytes.count else {
            isBroken = true
            return 0
        }
        defer { offset = end }
        return bytes.integer(at: offset, as: type)
    }

    mutating func date() -> Date { Date(timeIntervalSinceReferenceDate: Double(bitPattern: integer(UInt64.self))) }

    /// A length in LEB128, in as few bytes as it needs.
    mutating func length() -> Int {
        var value = 0
        for shift in stride(from: 0, to: 63, by: 7) {
            let byte = integer(UInt8.self)
            value |= Int(byte & 0x7F) << shift
            guard byte < 0x80 else { continue }
            if byte == 0, shift > 0 { isBroken = true }
            return value
        }
        isBroken = true
        return 0
    }
}
