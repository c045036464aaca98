// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A segment: a head of 64 bytes, then entries; once it is sealed, then a footer and an end of 64 bytes.
///
/// The object keeps the file open, so the bytes of a segment that is being removed can still be read.
final class SegmentFile: Sendable {
    let name: SegmentName
    let seed: UInt64
    /// Where the data of the segment before this one end; `nil` if that is not known.
    let formerDataEnd: Int?
    let file: DataFile
    /// The bytes of the entries that the index refers to.
    let liveByteCount = Atomic(0)
    /// The file's bytes that count against limits.
    let byteCount = Atomic(0)
    /// Whether the index knows its entries.
    let isLoaded = Atomic(false)
    let footer = Mutex(Footer?.none)

    static let headByteCount = 64

    private init(name: SegmentName, seed: UInt64, formerDataEnd: Int?, file: DataFile) {
        self.name = name
        self.seed = seed
        self.formerDataEnd = formerDataEnd
        self.file = file
    }

    static func create(
        in directory: String,
        name: SegmentName,
        store: UInt64,
        firstSequence: UInt64,
        formerDataEnd: Int
    ) throws(SegmentError) -> SegmentFile {
        let file = try DataFile(path: "\(directory)/\(name.file)", creating: true)
        try file.truncate(to: 0)
        let head = Block64(.head, Block64.format, store, name.label, firstSequence, .random(in: 0 ... .max), UInt64(formerDataEnd))
        try head.write(to: file, at: 0)
        file.expectRandomReads()
        let segment = SegmentFile(name: name, seed: head.checksum, formerDataEnd: formerDataEnd, file: file)
        segment.byteCount.store(headByteCount, ordering: .relaxed)
        return segment
    }

    /// Opens a segment.
    ///
    /// - Parameter fallbackSeed: The seed as another file tells it, in case head and end are damaged.
    /// - Returns: `nil` if it cannot be used.
    static func open(in directory: String, name: SegmentName, store: UInt64, fallbackSeed: UInt64?) throws(SegmentError) -> SegmentFile? {
        let file = try DataFile(path: "\(directory)/\(name.file)", creating: false)
        let byteCount = try file.byteCount()
        let end = try Block64.read(.end, from: file, at: byteCount - Block64.byteCount)
        var seed = fallbackSeed
        var formerDataEnd: Int?
        if let head = try Block64.read(.head, from: file, at: 0) {
            guard head[0] == Block64.format, head[1] == store, head[2] == name.label else { return nil }
            seed = head.checksum
            formerDataEnd = Int(truncatingIfNeeded: head[5])
        } else if let end, end[2] == name.label {
            seed = end[5]
        }
        guard let seed else { return nil }
        file.expectRandomReads()
        let segment = SegmentFile(name: name, seed: seed, formerDataEnd: formerDataEnd, file: file)
        segment.byteCount.store(byteCount, ordering: .relaxed)
        if let end, end[2] == name.label, end[5] == seed { segment.footer.withLock { $0 = Footer(end: end, fileByteCount: byteCount) } }
        return segment
    }

    /// Reads the entries of a part of the segment.
    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(SegmentError) -> Bool {
        try file.read(into: bytes, at: offset) == bytes.count
    }
}
