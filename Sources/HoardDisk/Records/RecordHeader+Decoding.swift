// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A header's bytes where they lie, with its fixed part checked.
struct RecordHeaderView {
    private let bytes: UnsafeRawBufferPointer
    private let keyByteCount: Int
    private let flags: RecordHeader.Flags

    /// `nil` if the bytes cannot be a header of this version.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= RecordHeader.fixedByteCount, bytes[0] == RecordHeader.version else { return nil }
        self.bytes = bytes
        flags = RecordHeader.Flags(rawValue: bytes[1])
        keyByteCount = Int(bytes.integer(at: 4, as: UInt32.self))
        guard keyByteCount <= bytes.count - RecordHeader.fixedByteCount, payloadByteCount >= 0 else { return nil }
    }

    var payloadByteCount: Int { Int(truncatingIfNeeded: bytes.integer(at: 48, as: UInt64.self)) }
    var root: UInt64 { bytes.integer(at: 56, as: UInt64.self) }
    var isCompressed: Bool { flags.contains(.isCompressed) }

    /// Whether the header is of this key.
    func hasKey(_ key: RecordKey) -> Bool {
        guard keyByteCount == key.bytes.count else { return false }
        let stored = keyBytes
        return key.bytes.withUnsafeBytes { $0.elementsEqual(stored) }
    }

    private var keyBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[RecordHeader.fixedByteCount..<RecordHeader.fixedByteCount + keyByteCount])
    }

    private func date(at offset: Int) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: bytes.integer(at: offset, as: UInt64.self)))
    }

    /// Whether the record's time is up. Needs only the fixed part.
    func isExpired(at now: Date) -> Bool { flags.contains(.hasStaleUntil) && now >= date(at: 24) }

    /// The whole header; `nil` if its texts are not where it says.
    func header() -> RecordHeader? {
        var offset = RecordHeader.fixedByteCount + keyByteCount
        func text() -> String? {
            guard bytes.count - offset >= 4 else { return nil }
            let count = Int(bytes.integer(at: offset, as: UInt32.self))
            offset += 4
            guard count <= bytes.count - offset else { return nil }
            defer { offset += count }
            return String(validating: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]), as: UTF8.self)
        }
        var tags: [String] = []
        for _ in 0..<Int(bytes.integer(at: 2, as: UInt16.self)) {
            guard let tag = text() else { return nil }
            tags.append(tag)
        }
        var texts: [String?] = []
        for flag in [RecordHeader.Flags.hasValidator, .hasContentType, .hasPartition] {
            guard flags.contains(flag) else {
                texts.append(nil)
                continue
            }
            guard let text = text() else { return nil }
            texts.append(text)
        }
        guard offset == bytes.count else { return nil }
        return RecordHeader(view: self, tags: tags, texts: texts)
    }

    fileprivate var created: Date { date(at: 8) }
    fileprivate var freshUntil: Date? { flags.contains(.hasFreshUntil) ? date(at: 16) : nil }
    fileprivate var staleUntil: Date? { flags.contains(.hasStaleUntil) ? date(at: 24) : nil }
    fileprivate var lastAccess: Date { date(at: 32) }
    fileprivate var schemaFingerprint: UInt64 { bytes.integer(at: 40, as: UInt64.self) }
    fileprivate var key: RecordKey { RecordKey(bytes: keyBytes) }
}

extension RecordHeader {
    fileprivate init(view: RecordHeaderView, tags: [String], texts: [String?]) {
        created = view.created
        freshUntil = view.freshUntil
        staleUntil = view.staleUntil
        lastAccess = view.lastAccess
        schemaFingerprint = view.schemaFingerprint
        payloadByteCount = view.payloadByteCount
        root = view.root
        isCompressed = view.isCompressed
        key = view.key
        self.tags = tags
        validator = texts[0]
        contentType = texts[1]
        partition = texts[2]
    }

    /// Reads what ``encoded`` made. `nil` if the bytes are anything else; never traps.
    init?(encoded: UnsafeRawBufferPointer) {
        guard let header = RecordHeaderView(encoded)?.header() else { return nil }
        self = header
    }
}

extension UnsafeRawBufferPointer {
    /// The little-endian number at `offset`, which must have room for it.
    func integer<Integer: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Integer.Type) -> Integer {
        Integer(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
