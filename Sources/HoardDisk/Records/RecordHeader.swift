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
/// | bytes | |
/// | --- | --- |
/// | 1 | version: 3 |
/// | 1 | ``Flags`` |
/// | 1 | ``Parts``: which of the parts that few records need are there |
/// | 8 | created |
/// | 8 each, if there | fresh until, stale until, last access when written, schema fingerprint, ``ChunkSealer/root(tags:byteCount:)`` of the payload's file |
/// | 2, if there | number of tags |
/// | 1 or more | length of the key, and of the payload as the user gave it: LEB128, so 7 bits in each byte, the low ones first |
/// | | the key, then the texts: tags in ascending order of their UTF-8, validator, content type, partition, each as its length in 4 bytes and its UTF-8 |
/// | | the extension, if there: ``Extension`` in one byte, then stale while revalidate, stale if error, load duration as far as it names them, each as whole seconds and the attoseconds beyond, 8 bytes each |
///
/// Dates are the bits of `Double` seconds since 2001-01-01 00:00 UTC. Numbers are little-endian. Versions 1 and 2, in which every part has its place, are read
/// but not written: ``RecordHeaderFields``.
///
/// One blob instead of columns is written, read, sealed and checked in one go, and keeps text that holds NUL intact.
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

    /// The parts that a header has only if they say something.
    struct Parts: OptionSet, Hashable, Sendable {
        var rawValue: UInt8

        /// The last access was at another time than the creation.
        static let hasLastAccess = Parts(rawValue: 1)
        static let hasSchemaFingerprint = Parts(rawValue: 2)
        static let hasRoot = Parts(rawValue: 4)
        static let hasTags = Parts(rawValue: 8)
        static let hasExtension = Parts(rawValue: 16)
        static let known: Parts = [.hasLastAccess, .hasSchemaFingerprint, .hasRoot, .hasTags, .hasExtension]
    }

    static let version: UInt8 = 3
    /// The bytes in front of the key, and of the extension, at most.
    static let maximumFixedByteCount = 3 + 6 * 8 + 2 + 2 * 10
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
        return texts.reduce(0) { $0 + $1.utf8.count + 4 } + RecordKey.maximumByteCount + maximumFixedByteCount + maximumExtensionByteCount
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

    private var parts: Parts {
        var parts: Parts = []
        if lastAccess != created { parts.insert(.hasLastAccess) }
        if schemaFingerprint != 0 { parts.insert(.hasSchemaFingerprint) }
        if root != 0 { parts.insert(.hasRoot) }
        if !tags.isEmpty { parts.insert(.hasTags) }
        if !extensionContents.isEmpty { parts.insert(.hasExtension) }
        return parts
    }

    private var flags: Flags {
        var flags: Flags = []
        if isCompressed { flags.insert(.isCompressed) }
        if freshUntil != nil { flags.insert(.hasFreshUntil) }
        if staleUntil != nil { flags.insert(.hasStaleUntil) }
        if validator != nil { flags.insert(.hasValidator) }
        if contentType != nil { flags.insert(.hasContentType) }
        if partition != nil { flags.insert(.hasPartition) }
        return flags
    }

    var encoded: [UInt8] {
        let parts = parts
        var bytes: [UInt8] = []
        bytes.reserveCapacity(
            Self.maximumFixedByteCount + key.bytes.count + 64 + (parts.contains(.hasExtension) ? Self.maximumExtensionByteCount : 0)
        )
        bytes.append(Self.version)
        bytes.append(flags.rawValue)
        bytes.append(parts.rawValue)
        for case let date? in [created, freshUntil, staleUntil, parts.contains(.hasLastAccess) ? lastAccess : nil] {
            bytes.append(integer: date.timeIntervalSinceReferenceDate.bitPattern)
        }
        if parts.contains(.hasSchemaFingerprint) { bytes.append(integer: schemaFingerprint) }
        if parts.contains(.hasRoot) { bytes.append(integer: root) }
        if parts.contains(.hasTags) { bytes.append(integer: UInt16(truncatingIfNeeded: tags.count)) }
        bytes.append(length: key.bytes.count)
        bytes.append(length: payloadByteCount)
        bytes.append(contentsOf: key.bytes)
        for text in tags { bytes.append(text: text) }
        for case let text? in [validator, contentType, partition] { bytes.append(text: text) }
        if parts.contains(.hasExtension) { bytes.append(contentsOf: encodedExtension) }
        return bytes
    }

    private var encodedExtension: [UInt8] {
        let contents = extensionContents
        var bytes = [contents.rawValue]
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

    /// Appends a length in as few bytes as it needs: LEB128.
    fileprivate mutating func append(length: Int) {
        var rest = UInt64(bitPattern: Int64(length))
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    fileprivate mutating func append(duration: Duration) {
        let (seconds, attoseconds) = duration.saturatingComponents
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
