// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The changes of one transaction, for the other processes that have the store open: keys that were written, removed or marked stale, and
/// tags that were invalidated or marked.
///
/// Evictions are not listed: a process that has a copy of an evicted record may go on using it.
struct ChangeList: Hashable, Sendable {
    /// The number of transactions whose lists are kept. A process that was away for longer takes everything to have
    /// changed.
    static let keptCount = 512
    /// A longer list says only that everything may have changed.
    static let maximumByteCount = 64 << 10

    private(set) var keys: [RecordKey] = []
    /// Sequences by the numbers of tags and partitions.
    private(set) var invalidations: [Int64: Int64] = [:]
    private(set) var staleMarks: [ScopedStaleMark] = []
    /// The names of tags that were invalidated or marked.
    private(set) var tags: Set<String> = []
    /// Whether records have changed of which neither the keys nor a tag's name is told. The list has their
    /// invalidations or marks all the same.
    private(set) var concernsAny = false
    /// Whether anything may have changed, also records that are not in this list.
    private(set) var isEverything = false
    private var byteCount = 0

    var isEmpty: Bool { keys.isEmpty && invalidations.isEmpty && staleMarks.isEmpty && tags.isEmpty && !concernsAny && !isEverything }

    mutating func add(_ key: RecordKey) {
        guard hasRoom(for: key.bytes.count + 4) else { return }
        keys.append(key)
    }

    /// Records with the tag of that name have changed. Their invalidation or mark is added besides.
    mutating func add(tag name: String) {
        guard !tags.contains(name), hasRoom(for: name.utf8.count + 4) else { return }
        tags.insert(name)
    }

    mutating func addInvalidation(of tag: Int64, sequence: Int64) {
        invalidations[tag] = max(sequence, invalidations[tag] ?? .min)
        byteCount += 16
    }

    mutating func add(_ mark: ScopedStaleMark) {
        guard hasRoom(for: 24) else { return }
        staleMarks.append(mark)
    }

    /// Records have changed of which nothing more is told.
    mutating func addAny() { concernsAny = true }

    mutating func addEverything() {
        isEverything = true
        (keys, tags, staleMarks) = ([], [], [])
    }

    private mutating func hasRoom(for count: Int) -> Bool {
        byteCount += count
        if byteCount > Self.maximumByteCount { addEverything() }
        return !isEverything
    }
}

extension ChangeList {
    /// The first byte of a list, which tells the parts that follow.
    private struct Contents: OptionSet {
        var rawValue: UInt8

        static let everything = Contents(rawValue: 1)
        static let staleMarks = Contents(rawValue: 2)
        static let tags = Contents(rawValue: 4)
        static let any = Contents(rawValue: 8)
        static let known: Contents = [.everything, .staleMarks, .tags, .any]
    }

    /// A byte of ``Contents``; the number of invalidations, and the invalidations; the number of stale marks, and the marks; the number of tags'
    /// names, and the names with their lengths. Empty lists of marks and names are left out. Then the keys with their lengths. Little-endian.
    var encoded: [UInt8] {
        var contents: Contents = []
        if isEverything { contents.insert(.everything) }
        if !staleMarks.isEmpty { contents.insert(.staleMarks) }
        if !tags.isEmpty { contents.insert(.tags) }
        if concernsAny { contents.insert(.any) }
        var bytes: [UInt8] = [contents.rawValue]
        bytes.reserveCapacity(byteCount + 16)
        bytes.append(integer: UInt32(truncatingIfNeeded: invalidations.count))
        for (tag, sequence) in invalidations {
            bytes.append(integer: tag)
            bytes.append(integer: sequence)
        }
        if !staleMarks.isEmpty {
            bytes.append(integer: UInt32(truncatingIfNeeded: staleMarks.count))
            for mark in staleMarks {
                bytes.append(integer: mark.scope)
                bytes.append(integer: mark.mark.sequence)
                bytes.append(integer: mark.mark.date.timeIntervalSinceReferenceDate.bitPattern)
            }
        }
        if !tags.isEmpty {
            bytes.append(integer: UInt32(truncatingIfNeeded: tags.count))
            for tag in tags { bytes.append(text: tag) }
        }
        for key in keys {
            bytes.append(integer: UInt32(truncatingIfNeeded: key.bytes.count))
            bytes.append(contentsOf: key.bytes)
        }
        return bytes
    }

    /// Reads the result of ``encoded``; anything else means that everything may have changed.
    init(encoded bytes: UnsafeRawBufferPointer) {
        var reader = Reader(bytes: bytes)
        guard reader.read(into: &self) else {
            addEverything()
            return
        }
    }

    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var offset = 0

        init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        /// Returns whether all of it could be read.
        mutating func read(into list: inout ChangeList) -> Bool {
            guard let first = bytes.first else { return false }
            let contents = Contents(rawValue: first)
            offset = 1
            guard contents.isSubset(of: .known), let count = count(of: 16) else { return false }
            for _ in 0..<count { list.addInvalidation(of: integer(), sequence: integer()) }
            if contents.contains(.staleMarks) {
                guard let count = self.count(of: 24) else { return false }
                for _ in 0..<count { list.add(ScopedStaleMark(scope: integer(), sequence: integer(), date: date())) }
            }
            if contents.contains(.tags) {
                guard let count = self.count(of: 4) else { return false }
                for _ in 0..<count {
                    guard let name = text(), let tag = String(validating: name, as: UTF8.self) else { return false }
                    list.add(tag: tag)
                }
            } else if !list.invalidations.isEmpty {
                // The list does not name the tags or partitions that were removed.
                list.addAny()
            }
            if contents.contains(.any) { list.addAny() }
            while offset < bytes.count {
                guard let key = text() else { return false }
                list.add(RecordKey(bytes: key))
            }
            if contents.contains(.everything) { list.addEverything() }
            return true
        }

        /// A number of things that have at least so many bytes each, if there can be so many.
        private mutating func count(of byteCount: Int) -> Int? {
            guard bytes.count - offset >= 4 else { return nil }
            let count = Int(bytes.integer(at: offset, as: UInt32.self))
            offset += 4
            return count <= (bytes.count - offset) / byteCount ? count : nil
        }

        private mutating func integer() -> Int64 {
            defer { offset += 8 }
            return bytes.integer(at: offset, as: Int64.self)
        }

        private mutating func date() -> Date {
            Date(timeIntervalSinceReferenceDate: Double(bitPattern: UInt64(bitPattern: integer())))
        }

        private mutating func text() -> UnsafeRawBufferPointer? {
            guard let length = count(of: 1) else { return nil }
            defer { offset += length }
            return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
        }
    }

    /// Takes in a later list.
    mutating func formUnion(_ other: ChangeList) {
        for (tag, sequence) in other.invalidations { addInvalidation(of: tag, sequence: sequence) }
        if other.isEverything { addEverything() }
        if other.concernsAny { addAny() }
        for mark in other.staleMarks { add(mark) }
        for tag in other.tags { add(tag: tag) }
        for key in other.keys { add(key) }
    }
}
