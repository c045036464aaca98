// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Where the footer of a sealed segment lies: its places in ascending order of their hashes, in blocks of 4 KiB, each of 255 places and this:
///
/// | offset | bytes | |
/// | --: | --: | --- |
/// | 4080 | 4 | how many places the block has |
/// | 4084 | 4 | its number |
/// | 4088 | 8 | checksum of the block, begun with the segment's seed |
///
/// It begins at the next multiple of 4 KiB behind the data. A hash occurs once: with the last of its entries in the segment, and a shadow if any of them has one. So one read answers whether a
/// segment has a key, before the index is complete, and all blocks together are the segment's part of the index.
struct Footer: Sendable {
    let placeCount: Int
    let dataEnd: Int
    let lastSequence: UInt64
    let offset: Int

    static let blockByteCount = 4096
    static let placesPerBlock = 255

    var blockCount: Int { (placeCount + Self.placesPerBlock - 1) / Self.placesPerBlock }

    /// - Parameter end: The block at the end of the file.
    init?(end: Block64, fileByteCount: Int) {
        guard end[0] < 1 << 32, end[1] < 1 << 40 else { return nil }
        placeCount = Int(end[0])
        dataEnd = Int(end[1])
        lastSequence = end[3]
        offset = (dataEnd + Self.blockByteCount - 1) / Self.blockByteCount * Self.blockByteCount
        guard offset + blockCount * Self.blockByteCount + Block64.byteCount == fileByteCount else { return nil }
    }

    /// Writes footer and end behind a segment's data.
    ///
    /// - Parameter places: In the order in which their entries were written.
    static func write(_ places: consuming [HashedPlace], to segment: SegmentFile, dataEnd: Int, lastSequence: UInt64) throws(SegmentError) -> Footer {
        let sorted = places.lastOfEachHash()
        let offset = (dataEnd + blockByteCount - 1) / blockByteCount * blockByteCount
        let blockCount = (sorted.count + placesPerBlock - 1) / placesPerBlock
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(blockCount * blockByteCount, 1), alignment: 16)
        defer { bytes.deallocate() }
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        for number in 0..<blockCount {
            let block = UnsafeMutableRawBufferPointer(rebasing: bytes[number * blockByteCount..<(number + 1) * blockByteCount])
            let places = sorted[number * placesPerBlock..<min((number + 1) * placesPerBlock, sorted.count)]
            for (index, place) in places.enumerated() {
                block.store(place.hash, at: index * 16)
                block.store(place.place.bits, at: index * 16 + 8)
            }
            block.store(UInt64(places.count) | UInt64(number) << 32, at: 4080)
            block.store(checksum(of: UnsafeRawBufferPointer(block), seed: segment.seed), at: 4088)
        }
        try segment.file.write(UnsafeRawBufferPointer(rebasing: bytes[..<(blockCount * blockByteCount)]), at: offset)
        let end = Block64(.end, UInt64(sorted.count), UInt64(dataEnd), segment.name.label, lastSequence, 0, segment.seed)
        let byteCount = offset + blockCount * blockByteCount + Block64.byteCount
        try end.write(to: segment.file, at: byteCount - Block64.byteCount)
        segment.byteCount.store(byteCount, ordering: .relaxed)
        guard let footer = Footer(end: end, fileByteCount: byteCount) else { throw SegmentError("The footer of \(segment.file.path) is too long") }
        return footer
    }

    private static func checksum(of block: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        XXH64.hash(UnsafeRawBufferPointer(rebasing: block[..<4088]), seed: seed)
    }

    /// Returns all places, in ascending order of their hashes; `nil` if a block is damaged.
    func places(of segment: SegmentFile) throws(SegmentError) -> [HashedPlace]? {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(blockCount * Self.blockByteCount, 1), alignment: 16)
        defer { bytes.deallocate() }
        let wanted = UnsafeMutableRawBufferPointer(rebasing: bytes[..<(blockCount * Self.blockByteCount)])
        guard try segment.file.read(into: wanted, at: offset) == wanted.count else { return nil }
        var places: [HashedPlace] = []
        places.reserveCapacity(placeCount)
        for number in 0..<blockCount {
            let block = UnsafeRawBufferPointer(rebasing: bytes[number * Self.blockByteCount..<(number + 1) * Self.blockByteCount])
            guard let count = count(of: block, number, segment) else { return nil }
            for index in 0..<count { places.append(Self.place(index, of: block)) }
        }
        return places.count == placeCount ? places : nil
    }

    private func count(of block: UnsafeRawBufferPointer, _ number: Int, _ segment: SegmentFile) -> Int? {
        let count = Int(block.number(at: 4080) & 0xFFFF_FFFF)
        guard block.number(at: 4080) >> 32 == number, (1...Self.placesPerBlock).contains(count),
            block.number(at: 4088) == Self.checksum(of: block, seed: segment.seed)
        else { return nil }
        return count
    }

    private static func place(_ index: Int, of block: UnsafeRawBufferPointer) -> HashedPlace {
        HashedPlace(hash: block.number(at: index * 16), place: Place(bits: block.number(at: index * 16 + 8)))
    }

    enum Answer {
        case found(Place), absent, damaged
    }

    /// Looks for one hash. Begins where it would be if the hashes were spread evenly, which is the right block or one beside it.
    func find(_ hash: UInt64, in segment: SegmentFile) throws(SegmentError) -> Answer {
        guard blockCount > 0 else { return .absent }
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.blockByteCount, alignment: 16)
        defer { block.deallocate() }
        var number = Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(blockCount)).high)
        var from: Int?
        while true {
            guard try segment.file.read(into: block, at: offset + number * Self.blockByteCount) == block.count else { return .damaged }
            let bytes = UnsafeRawBufferPointer(block)
            guard let count = count(of: bytes, number, segment) else { return .damaged }
            let next: Int
            if hash < Self.place(0, of: bytes).hash {
                next = number - 1
            } else if hash > Self.place(count - 1, of: bytes).hash {
                next = number + 1
            } else {
                for index in 0..<count where Self.place(index, of: bytes).hash == hash { return .found(Self.place(index, of: bytes).place) }
                return .absent
            }
            // Between two blocks.
            if next < 0 || next == blockCount || next == from { return .absent }
            from = number
            number = next
        }
    }
}

extension [HashedPlace] {
    /// The last place of each hash, in ascending order of the hashes. It has a shadow if any place of its hash has one.
    consuming func lastOfEachHash() -> [HashedPlace] {
        var places = self
        places.sort { $0.hash == $1.hash ? $0.place.offset < $1.place.offset : $0.hash < $1.hash }
        var count = 0
        var isShadow = false
        for index in places.indices {
            isShadow = isShadow || places[index].place.isShadow
            if index + 1 < places.count, places[index + 1].hash == places[index].hash { continue }
            places[count] = HashedPlace(hash: places[index].hash, place: places[index].place.withFrequency(isShadow ? 1 : 0))
            count += 1
            isShadow = false
        }
        places.removeLast(places.count - count)
        return places
    }
}
