// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The file `store`: the store's number, and the secret of its hashes. It is locked as long as the store is open.
struct StoreFile: Sendable {
    let number: UInt64
    let segmentBytes: Int
    let hash: SipHash
    let isNew: Bool
    private let file: DataFile

    /// Lets other processes open the store.
    func unlock() { file.unlock() }

    init(directory: String, segmentBytes: Int) throws(SegmentError) {
        do { try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true) } catch {
            throw SegmentError("\(directory) cannot be created: \(error)")
        }
        file = try DataFile(path: "\(directory)/store", creating: true)
        try file.lock()
        var block = try Block64.read(.store, from: file, at: 0)
        isNew = block == nil
        if block == nil {
            let new = Block64(
                .store,
                Block64.format,
                .random(in: 0 ... .max),
                .random(in: 0 ... .max),
                .random(in: 0 ... .max),
                UInt64(segmentBytes),
                0
            )
            try new.write(to: file, at: 0)
            block = new
        }
        guard let block, block[0] == Block64.format else { throw SegmentError("\(directory) has another format") }
        number = block[1]
        hash = SipHash(key: (block[2], block[3]))
        self.segmentBytes = Int(truncatingIfNeeded: block[4])
    }
}

/// The file `position`: how far the newest segment of each log is valid, and a generation by which other processes see that something has changed.
///
/// It is 64 bytes for each log, written with one call after each batch. It tells an entry that was acknowledged and is damaged from one that was being written.
struct PositionFile: Sendable {
    struct Position {
        var generation: UInt64 = 0
        var segment: SegmentName
        var validByteCount: Int
        var sequence: UInt64
        var seed: UInt64
    }

    /// The positions that the file had when it was opened. A log has none if its block is damaged, or the system has been started since, as the data may be older
    /// than the file then.
    let former: [LogName: Position]
    private let file: DataFile
    private let boot: UInt64

    init(directory: String) throws(SegmentError) {
        file = try DataFile(path: "\(directory)/position", creating: true)
        boot = Self.bootNumber()
        var former: [LogName: Position] = [:]
        for log in LogName.allCases {
            guard let block = try Block64.read(.position, from: file, at: log.rawValue * Block64.byteCount), block[4] == boot,
                SegmentName(label: block[1]).log == log
            else { continue }
            former[log] = Position(
                generation: block[0],
                segment: SegmentName(label: block[1]),
                validByteCount: Int(truncatingIfNeeded: block[2]),
                sequence: block[3],
                seed: block[5]
            )
        }
        self.former = former
    }

    func write(_ position: Position) throws(SegmentError) {
        let block = Block64(
            .position,
            position.generation,
            position.segment.label,
            UInt64(position.validByteCount),
            position.sequence,
            boot,
            position.seed
        )
        try block.write(to: file, at: position.segment.log.rawValue * Block64.byteCount)
    }

    /// A number that differs after each start of the system.
    private static func bootNumber() -> UInt64 {
        let text = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? ""
        return Array(text.utf8).withUnsafeBytes { XXH64.hash($0) }
    }
}
