// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A part of a recording, with a checksum. It can be read without the parts before it, or goes on where the one before ends.
///
/// | Offset | Bytes | Content |
/// | --- | --- | --- |
/// | 0 | 4 | the mark, `48 54 42 31` ("HTB1") if the block can be read alone, `48 54 42 32` ("HTB2") if it knows the keys of the block before |
/// | 4 | 4 | length *n* of the events, at most ``maximumByteCount`` |
/// | 8 | 4 | number of events |
/// | 12 | 4 | number of accesses since the block before that were not recorded because memory or the disk was full |
/// | 16 | 8 | tick of the first event |
/// | 24 | 8 | XXH64 of the events, seeded with the XXH64 of the 24 bytes before |
/// | 32 | *n* | the events |
///
/// Each event begins with a byte. Bits 0 to 2 have its kind, bit 3 whether its key was there lately, and bit 4 whether details follow. Bits 5 to 7
/// have the ticks since the event before, where 7 says that they follow as a number. Then come those ticks if they do, the key, and the details.
///
/// A key has 48 bits. The reader keeps the last key for each value of a key's lowest 16 bits; an event with that key has only these 16 bits. Any other
/// key takes six bytes. Numbers are in groups of seven bits, the lowest first, the highest bit of a byte saying that more follow.
///
/// Details begin with a byte of which bits 0 to 4 say which of them follow: size, lifetime, cost, group, tier. Group and tier have four bytes and one.
package enum TraceBlock {
    package static let mark: UInt32 = 0x3142_5448
    package static let continuingMark: UInt32 = 0x3242_5448
    package static let headerByteCount = 32
    /// The greatest length of the events of a block. A writer begins another block long before.
    package static let maximumByteCount = 1 << 20
    /// At most so many bytes are one event.
    static let maximumEventByteCount = 1 + 10 + 6 + 1 + 10 + 10 + 5 + 4 + 1
    static let keyMask = UInt64.max >> 16

    /// The keys that have been there lately, one for each value of the lowest 16 bits.
    struct RecentKeys {
        private var keys = Array(repeating: UInt64.max, count: 1 << 16)
        /// The places that have been filled, so that they need not all be emptied for each block.
        private var filled: [UInt16] = []

        mutating func removeAll() {
            for place in filled { keys[Int(place)] = .max }
            filled.removeAll(keepingCapacity: true)
        }

        /// The key with these lowest bits; none of the possible keys if there is none.
        subscript(place: UInt16) -> UInt64 { keys[Int(place)] }

        /// Notes a key, and says whether it was the last one in its place.
        mutating func note(_ key: UInt64) -> Bool {
            let place = Int(UInt16(truncatingIfNeeded: key))
            if keys[place] == key { return true }
            if keys[place] == .max { filled.append(UInt16(place)) }
            keys[place] = key
            return false
        }
    }
}

/// Writes the events of a block.
package struct TraceBlockEncoder: Sendable {
    private var bytes: [UInt8] = []
    /// A block has about so many bytes.
    private let usualByteCount: Int
    /// The bytes of blocks since the last one that can be read alone.
    private var continuedByteCount = 0
    private var isContinuing = false
    private var recentKeys = TraceBlock.RecentKeys()
    package private(set) var count = 0
    private var firstTick: UInt64 = 0
    private var lastTick: UInt64 = 0

    package init(usualByteCount: Int = 1 << 18) { self.usualByteCount = usualByteCount }

    /// Whether another block should be begun.
    package var isFull: Bool { bytes.count >= usualByteCount }

    /// The most bytes that the next block may have.
    var maximumByteCount: Int { TraceBlock.headerByteCount + usualByteCount + TraceBlock.maximumEventByteCount }

    /// Makes the next block one that can be read alone.
    package mutating func beginAnew() {
        recentKeys.removeAll()
        (continuedByteCount, isContinuing) = (0, false)
    }

    package mutating func append(_ event: TraceEvent) {
        if count == 0 { (firstTick, lastTick) = (event.tick, event.tick) }
        count += 1
        // Time does not go back in a file.
        let ticks = event.tick > lastTick ? event.tick - lastTick : 0
        lastTick += ticks
        let isRecent = recentKeys.note(event.key)
        let details = event.details.flatMap { $0.isEmpty ? nil : $0 }
        bytes.append(event.kind.rawValue | (isRecent ? 8 : 0) | (details == nil ? 0 : 16) | UInt8(min(ticks, 7)) << 5)
        if ticks >= 7 { append(ticks) }
        append(event.key, byteCount: isRecent ? 2 : 6)
        if let details { append(details) }
    }

    private mutating func append(_ details: TraceEvent.Details) {
        let place = bytes.count
        bytes.append(0)
        var contents: UInt8 = 0
        if let size = details.size {
            contents |= 1
            append(UInt64(max(0, size)))
        }
        if let lifetime = details.lifetime {
            contents |= 2
            append(lifetime)
        }
        if let cost = details.cost {
            contents |= 4
            append(UInt64(cost))
        }
        if let group = details.group {
            contents |= 8
            append(UInt64(group), byteCount: 4)
        }
        if details.tier > 0 {
            contents |= 16
            bytes.append(details.tier)
        }
        bytes[place] = contents
    }

    private mutating func append(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func append(_ number: UInt64, byteCount: Int) {
        for index in 0..<byteCount { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
    }

    /// The block, and begins another one.
    ///
    /// - Parameter lost: The number of accesses that were not recorded.
    package mutating func take(lost: UInt32) -> [UInt8] {
        var block: [UInt8] = []
        block.reserveCapacity(TraceBlock.headerByteCount + bytes.count)
        block.append(littleEndian: isContinuing ? TraceBlock.continuingMark : TraceBlock.mark)
        block.append(littleEndian: UInt32(bytes.count))
        block.append(littleEndian: UInt32(count))
        block.append(littleEndian: lost)
        block.append(littleEndian: firstTick)
        let seed = block.withUnsafeBytes { XXH64.hash($0) }
        block.append(littleEndian: bytes.withUnsafeBytes { XXH64.hash($0, seed: seed) })
        block += bytes
        bytes.removeAll(keepingCapacity: true)
        count = 0
        isContinuing = true
        continuedByteCount += block.count
        // Damage costs the blocks that follow, up to here.
        if continuedByteCount >= 1 << 20 { beginAnew() }
        return block
    }
}
