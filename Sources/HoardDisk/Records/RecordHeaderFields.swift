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
        var rest = HeaderCursor(bytes: bytes, offset: 3)
        guard bytes.count >= 3 else { return nil }
        let parts = RecordHeader.Parts(rawValue: bytes[2])
        flags = RecordHeader.Flags(rawValue: bytes[1])
        guard parts.isSubset(of: .known), let created = rest.date() else { return nil }
        self.created = created
        if flags.contains(.hasFreshUntil) {
            guard let date = rest.date() else { return nil }
            freshUntil = date
        }
        if flags.contains(.hasStaleUntil) {
            guard let date = rest.date() else { return nil }
            staleUntil = date
        }
        guard let lastAccess = parts.contains(.hasLastAccess) ? rest.date() : created else { return nil }
        self.lastAccess = lastAccess
        if parts.contains(.hasSchemaFingerprint) {
            guard let number = rest.integer(UInt64.self) else { return nil }
            schemaFingerprint = number
        }
        if parts.contains(.hasRoot) {
            guard let number = rest.integer(UInt64.self) else { return nil }
            root = number
        }
        guard let tagCount = parts.contains(.hasTags) ? rest.integer(UInt16.self) : 0,
            let keyByteCount = rest.length(), let payloadByteCount = rest.length()
        else { return nil }
        self.tagCount = Int(tagCount)
        self.keyByteCount = keyByteCount
        self.payloadByteCount = payloadByteCount
        hasExtension = parts.contains(.hasExtension)
        byteCount = rest.offset
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

/// Reads parts of a header, one behind the other. Each is `nil` if it is not there.
private struct HeaderCursor {
    let bytes: UnsafeRawBufferPointer
    var offset: Int

    mutating func integer<Integer: FixedWidthInteger & BitwiseCopyable>(_ type: Integer.Type) -> Integer? {
        let end = offset + MemoryLayout<Integer>.size
        guard end <= bytes.count else { return nil }
        defer { offset = end }
        return bytes.integer(at: offset, as: type)
    }

    mutating func date() -> Date? {
        integer(UInt64.self).map { Date(timeIntervalSinceReferenceDate: Double(bitPattern: $0)) }
    }

    /// A length in LEB128, in as few bytes as it needs.
    mutating func length() -> Int? {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 63, by: 7) {
            guard let byte = integer(UInt8.self) else { return nil }
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return byte == 0 && shift > 0 ? nil : Int(exactly: value) }
        }
        return nil
    }
}
