// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A header's bytes where they lie, with the part in front of the key read and checked.
struct RecordHeaderView {
    private let bytes: UnsafeRawBufferPointer
    fileprivate let fields: RecordHeaderFields

    /// `nil` if the bytes cannot be a header of a known version.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let fields = RecordHeaderFields(bytes) else { return nil }
        self.bytes = bytes
        self.fields = fields
    }

    var payloadByteCount: Int { fields.payloadByteCount }
    var root: UInt64 { fields.root }
    var isCompressed: Bool { fields.flags.contains(.isCompressed) }

    /// Whether the header is of this key.
    func hasKey(_ key: RecordKey) -> Bool {
        guard fields.keyByteCount == key.bytes.count else { return false }
        let stored = keyBytes
        return key.bytes.withUnsafeBytes { $0.elementsEqual(stored) }
    }

    fileprivate var keyBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[fields.byteCount..<fields.byteCount + fields.keyByteCount])
    }

    /// Whether the record's time is up. Needs only the part in front of the key.
    func isExpired(at now: Date) -> Bool { fields.staleUntil.map { now >= $0 } ?? false }

    /// The whole header; `nil` if its texts are not where it says.
    func header() -> RecordHeader? {
        var offset = fields.byteCount + fields.keyByteCount
        func text() -> String? {
            guard bytes.count - offset >= 4 else { return nil }
            let count = Int(bytes.integer(at: offset, as: UInt32.self))
            offset += 4
            guard count <= bytes.count - offset else { return nil }
            defer { offset += count }
            return String(validating: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]), as: UTF8.self)
        }
        var tags: [String] = []
        for _ in 0..<fields.tagCount {
            guard let tag = text() else { return nil }
            tags.append(tag)
        }
        var texts: [String?] = []
        for flag in [RecordHeader.Flags.hasValidator, .hasContentType, .hasPartition] {
            guard fields.flags.contains(flag) else {
                texts.append(nil)
                continue
            }
            guard let text = text() else { return nil }
            texts.append(text)
        }
        var header = RecordHeader(view: self, tags: tags, texts: texts)
        if fields.hasExtension {
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
}

extension RecordHeader {
    fileprivate init(view: RecordHeaderView, tags: [String], texts: [String?]) {
        let fields = view.fields
        created = fields.created
        freshUntil = fields.freshUntil
        staleUntil = fields.staleUntil
        lastAccess = fields.lastAccess
        schemaFingerprint = fields.schemaFingerprint
        payloadByteCount = fields.payloadByteCount
        root = fields.root
        isCompressed = view.isCompressed
        key = RecordKey(bytes: view.keyBytes)
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
