// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Everything of a record but its payload, as one blob.
///
/// | offset | |
/// | --: | --- |
/// | 0 | version: 1, or 2 if the extension follows |
/// | 1 | flags: ``Flags`` |
/// | 2 | number of tags, 2 bytes |
/// | 4 | length of the key, 4 bytes |
/// | 8 | created, fresh until, stale until, last access when written: the bits of `Double` seconds since 2001-01-01 00:00 UTC, 8 bytes each; 0 where absent |
/// | 40 | schema fingerprint, 8 bytes |
/// | 48 | length of the payload as the user gave it, 8 bytes |
/// | 56 | ``ChunkSealer/root(tags:byteCount:)`` of the payload's file, 8 bytes; 0 without a file |
/// | 64 | the key, then the texts: tags in ascending order of their UTF-8, validator, content type, partition, each as its length in 4 bytes and its UTF-8 |
/// | | the extension, in version 2: ``Extension`` in one byte, then stale while revalidate, stale if error, load duration as far as it names them, each as whole seconds and the attoseconds beyond, 8 bytes each |
///
/// A record that needs no extension is written as version 1, as it has always been.
///
/// Numbers are little-endian. One blob instead of columns is written, read, sealed and checked in one go, and keeps text that holds NUL intact.
struct RecordHeader: Hashable, Sendable {
    struct Flags: OptionSet, Hashable, Sendable {
        var rawValue: UInt8

        static let isCompressed = Flags(rawValue: 1)
        static let hasFreshUntil = Flags(rawValue: 2)
        static let hasStaleUntil = Flags(rawValue: 4)
        static let hasValidator = Flags(rawValue: 8)
        static let hasContentType = Flags(rawValue: 16)
        static let hasPartition = Flags(rawValue: 32)
    }

    /// The contents of the extension.
    struct Extension: OptionSet, Hashable, Sendable {
        var rawValue: UInt8

        static let isNegative = Extension(rawValue: 1)
        static let hasStaleWhileRevalidate = Extension(rawValue: 2)
        static let hasStaleIfError = Extension(rawValue: 4)
        static let hasLoadDuration = Extension(rawValue: 8)
        static let known: Extension = [.isNegative, .hasStaleWhileRevalidate, .hasStaleIfError, .hasLoadDuration]
    }

    static let version: UInt8 = 1
    static let extendedVersion: UInt8 = 2
    static let fixedByteCount = 64
    static let maximumExtensionByteCount = 1 + 3 * 16

    var created: Date
    var freshUntil: Date?
    var staleUntil: Date?
    var lastAccess: Date
    var schemaFingerprint: UInt64
    var payloadByteCount: Int
    var root: UInt64 = 0
    var isCompressed = false
    var key: RecordKey
    /// Ascending.
    var tags: [String]
    var validator: String?
    var contentType: String?
    var partition: String?
    var staleWhileRevalidate = Duration.zero
    var staleIfError = Duration.zero
    var loadDuration: Duration?
    var isNegative = false

    /// - Parameter now: Stands in for a date that is not a number.
    init(_ record: Record, key: RecordKey, now: Date) {
        created = record.created.isNumber ? record.created : now
        freshUntil = record.freshUntil.map { $0.isNumber ? $0 : now }
        staleUntil = record.staleUntil.map { $0.isNumber ? $0 : now }
        lastAccess = record.lastAccess.isNumber ? record.lastAccess : now
        schemaFingerprint = record.schemaFingerprint
        payloadByteCount = record.payload.count
        self.key = key
        tags = record.tags.count < 2 ? Array(record.tags) : record.tags.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        validator = record.validator
        contentType = record.contentType
        partition = record.partition
        staleWhileRevalidate = record.staleWhileRevalidate
        staleIfError = record.staleIfError
        loadDuration = record.loadDuration
        isNegative = record.isNegative
    }

    /// The record with its payload.
    func record(payload: Data) -> Record {
        var record = Record(
            payload: payload,
            created: created,
            freshUntil: freshUntil,
            staleUntil: .forever,
            lastAccess: lastAccess,
            tags: tags.isEmpty ? [] : Set(tags),
            validator: validator,
            contentType: contentType,
            schemaFingerprint: schemaFingerprint
        )
        record.staleUntil = staleUntil
        record.partition = partition
        record.staleWhileRevalidate = staleWhileRevalidate
        record.staleIfError = staleIfError
        record.loadDuration = loadDuration
        record.isNegative = isNegative
        return record
    }

    /// Ends the freshness at `date`, if the record is fresh for longer.
    mutating func endFreshness(at date: Date) {
        if freshUntil.map({ $0 > date }) ?? true { freshUntil = date }
    }
}

extension RecordHeader {
    /// No header is longer, and no number of tags is greater than its two bytes hold: ``DiskStore`` refuses such records.
    static let maximumByteCount = 64 << 20

    /// Whether the record's metadata fits the format.
    static func admits(_ record: Record) -> Bool {
        guard record.tags.count <= Int(UInt16.max) else { return false }
        let texts = [record.validator, record.contentType, record.partition].compactMap { $0 } + record.tags
        return texts.reduce(0) { $0 + $1.utf8.count + 4 } + RecordKey.maximumByteCount + fixedByteCount + maximumExtensionByteCount
            <= maximumByteCount
    }

    private var extensionContents: Extension {
        var contents: Extension = []
        if isNegative { contents.insert(.isNegative) }
        if staleWhileRevalidate != .zero { contents.insert(.hasStaleWhileRevalidate) }
        if staleIfError != .zero { contents.insert(.hasStaleIfError) }
        if loadDuration != nil { contents.insert(.hasLoadDuration) }
        return contents
    }

    var encoded: [UInt8] {
        let contents = extensionContents
        var flags: Flags = []
        if isCompressed { flags.insert(.isCompressed) }
        if freshUntil != nil { flags.insert(.hasFreshUntil) }
        if staleUntil != nil { flags.insert(.hasStaleUntil) }
        if validator != nil { flags.insert(.hasValidator) }
        if contentType != nil { flags.insert(.hasContentType) }
        if partition != nil { flags.insert(.hasPartition) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.fixedByteCount + key.bytes.count + 64 + (contents.isEmpty ? 0 : Self.maximumExtensionByteCount))
        bytes.append(contents.isEmpty ? Self.version : Self.extendedVersion)
        bytes.append(flags.rawValue)
        bytes.append(integer: UInt16(truncatingIfNeeded: tags.count))
        bytes.append(integer: UInt32(truncatingIfNeeded: key.bytes.count))
        for date in [created, freshUntil, staleUntil, lastAccess] {
            bytes.append(integer: (date?.timeIntervalSinceReferenceDate ?? 0).bitPattern)
        }
        bytes.append(integer: schemaFingerprint)
        bytes.append(integer: UInt64(payloadByteCount))
        bytes.append(integer: root)
        bytes.append(contentsOf: key.bytes)
        for text in tags { bytes.append(text: text) }
        for case let text? in [validator, contentType, partition] { bytes.append(text: text) }
        if contents.isEmpty { return bytes }
        bytes.append(contents.rawValue)
        if contents.contains(.hasStaleWhileRevalidate) { bytes.append(duration: staleWhileRevalidate) }
        if contents.contains(.hasStaleIfError) { bytes.append(duration: staleIfError) }
        if contents.contains(.hasLoadDuration), let loadDuration { bytes.append(duration: loadDuration) }
        return bytes
    }
}

extension Array<UInt8> {
    mutating func append(integer: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: integer.littleEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func append(duration: Duration) {
        let (seconds, attoseconds) = duration.components
        append(integer: seconds)
        append(integer: attoseconds)
    }

    mutating func append(text: String) {
        append(integer: UInt32(truncatingIfNeeded: text.utf8.count))
        append(contentsOf: text.utf8)
    }
}

extension Date {
    fileprivate var isNumber: Bool { !timeIntervalSinceReferenceDate.isNaN }
}
