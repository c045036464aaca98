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

    /// `nil` if the bytes cannot be a header of a known version.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= RecordHeader.fixedByteCount else { return nil }
        guard bytes[0] == RecordHeader.version || bytes[0] == RecordHeader.extendedVersion else { return nil }
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
        var header = RecordHeader(view: self, tags: tags, texts: texts)
        if bytes[0] == RecordHeader.extendedVersion {
            guard let end = readExtension(at: offset, into: &header) else { return nil }
            offset = end
        }
        return offset == bytes.count ? header : nil
    }

    /// Returns where the extension ends; `nil` if it is not one.
    private func readExtension(at start: Int, into header: inout RecordHeader) -> Int? {
        guard start < bytes.count else { return nil }
        let contents = RecordHeader.Extension(rawValue: bytes[start])
        guard contents.isSubset(of: .known) else { return nil }
        var offset = start + 1
        func duration() -> Duration? {
            guard bytes.count - offset >= 16 else { return nil }
            defer { offset += 16 }
            let (seconds, attoseconds) = (bytes.integer(at: offset, as: Int64.self), bytes.integer(at: offset + 8, as: Int64.self))
            // As ``Duration`` gives them: so every length of time has one form, and no sum overflows.
            guard attoseconds.magnitude < 1_000_000_000_000_000_000, seconds == 0 || attoseconds == 0 || (seconds < 0) == (attoseconds < 0) else {
                return nil
            }
            return Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
        }
        header.isNegative = contents.contains(.isNegative)
        if contents.contains(.hasStaleWhileRevalidate) {
            guard let value = duration() else { return nil }
            header.staleWhileRevalidate = value
        }
        if contents.contains(.hasStaleIfError) {
            guard let value = duration() else { return nil }
            header.staleIfError = value
        }
        if contents.contains(.hasLoadDuration) {
            guard let value = duration() else { return nil }
            header.loadDuration = value
        }
        return offset
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

    /// Reads the result of ``encoded``. `nil` if the bytes are anything else; never traps.
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
