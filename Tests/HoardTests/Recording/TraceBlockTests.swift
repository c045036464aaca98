// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite("TraceBlock", .timeLimit(.minutes(5)))
struct TraceBlockTests {
    static func randomEvents(_ count: Int, keys: UInt64, _ generator: inout SeededGenerator) -> [TraceEvent] {
        var tick = UInt64.random(in: 0..<1_000, using: &generator)
        return (0..<count).map { _ in
            tick += [0, 0, 0, 1, 6, 7, 100, 1 << 40].randomElement(using: &generator) ?? 0
            let kind = TraceEvent.Kind.allCases.randomElement(using: &generator) ?? .hit
            let key = (generator.next() % keys) &* 0x9E37_79B9_7F4A_7C15 & TraceBlock.keyMask
            guard Bool.random(using: &generator) else { return TraceEvent(kind, key: key, tick: tick) }
            let details = TraceEvent.Details(
                size: Bool.random(using: &generator) ? Int.random(in: 0..<1 << 47, using: &generator) : nil,
                lifetime: Bool.random(using: &generator) ? generator.next() >> (generator.next() % 64) : nil,
                cost: Bool.random(using: &generator) ? UInt32.random(in: 0..<UInt32.max, using: &generator) : nil,
                group: Bool.random(using: &generator) ? UInt32.random(in: 0..<UInt32.max, using: &generator) : nil,
                tier: UInt8.random(in: 0...3, using: &generator)
            )
            return TraceEvent(kind, key: key, tick: tick, details: details == .init() ? nil : details)
        }
    }

    /// A file of several blocks.
    private static func file(of events: [TraceEvent], perBlock count: Int) -> [UInt8] {
        var bytes = TraceFileHeader(start: 1, tickLength: 10_000, sampledKeys: 65_536, number: 0).encoded
        var encoder = TraceBlockEncoder()
        for (index, event) in events.enumerated() {
            encoder.append(event)
            if (index + 1) % count == 0 { bytes += encoder.take(lost: 1) }
        }
        if encoder.count > 0 { bytes += encoder.take(lost: 1) }
        return bytes
    }

    private static func events(in bytes: [UInt8], partLength: Int = .max) throws -> [TraceEvent] {
        var decoder = TraceFileDecoder()
        var events: [TraceEvent] = []
        for start in stride(from: 0, to: bytes.count, by: partLength) {
            try decoder.decode(bytes[start..<min(bytes.count, start + min(partLength, bytes.count))]) { events.append($0) }
        }
        try decoder.finish()
        return events
    }

    @Test(arguments: 0..<20)
    func everythingComesBackWhereverTheBytesAreCut(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let events = Self.randomEvents(2_000, keys: [3, 100, 100_000][Int(seed % 3)], &generator)
        let bytes = Self.file(of: events, perBlock: 700)
        for partLength in [bytes.count, 4_096, 17, 1] {
            #expect(try Self.events(in: bytes, partLength: partLength) == events, "seed \(seed), parts of \(partLength)")
        }
    }

    @Test func damageIsFound() throws {
        var generator = SeededGenerator(seed: 7)
        let events = Self.randomEvents(300, keys: 50, &generator)
        let bytes = Self.file(of: events, perBlock: 100)
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= UInt8(1 << (place % 8))
            // Damage of the number of lost accesses is found like any other damage.
            #expect(throws: TraceFileFault.self, "byte \(place)") { try Self.events(in: damaged) }
        }
    }

    @Test func whatACrashLeavesIsReadUpToTheLastWholeBlock() throws {
        var generator = SeededGenerator(seed: 8)
        let events = Self.randomEvents(300, keys: 50, &generator)
        let bytes = Self.file(of: events, perBlock: 100)
        let whole = [0, 100, 200, 300].map { Self.file(of: Array(events.prefix($0)), perBlock: 100).count }
        for length in 0..<bytes.count {
            var decoder = TraceFileDecoder()
            var read: [TraceEvent] = []
            try decoder.decode(bytes[..<length]) { read.append($0) }
            let blocks = whole.lastIndex { $0 <= length } ?? 0
            #expect(read == Array(events.prefix(blocks * 100)), "\(length) bytes")
            if !whole.contains(length) { #expect(throws: TraceFileFault.truncated) { try decoder.finish() } }
        }
    }

    @Test func otherFilesAndLaterFormatsAreRefused() {
        #expect(throws: TraceFileFault.foreign) { try Self.events(in: Array("key 1\nkey 2\n".utf8)) }
        #expect(throws: TraceFileFault.truncated) { try Self.events(in: []) }
        var later = TraceFileHeader(start: 1, tickLength: 10_000, sampledKeys: 65_536, number: 0).encoded
        later[8] = 2
        #expect(throws: TraceFileFault.newerFormat) { try Self.events(in: later) }
    }

    @Test func aBlockThatGoesOnNeedsTheOneBefore() throws {
        var encoder = TraceBlockEncoder()
        let header = TraceFileHeader(start: 1, tickLength: 10_000, sampledKeys: 65_536, number: 0).encoded
        let events = (0..<3).map { TraceEvent(.hit, key: 77, tick: $0) }
        let blocks = events.map { event in
            encoder.append(event)
            return encoder.take(lost: 0)
        }
        #expect(blocks.map(\.count) == [7, 3, 3].map { TraceBlock.headerByteCount + $0 })
        #expect(try Self.events(in: header + blocks[0] + blocks[1] + blocks[2]) == events)
        #expect(throws: TraceFileFault.corrupt) { try Self.events(in: header + blocks[1]) }
        encoder.beginAnew()
        encoder.append(events[0])
        #expect(try Self.events(in: header + encoder.take(lost: 0)) == [events[0]])
    }

    @Test func aHitOfAKeyThatWasThereLatelyTakesThreeBytes() {
        var encoder = TraceBlockEncoder()
        for index in 0..<10_000 { encoder.append(TraceEvent(.hit, key: UInt64(index % 100) &* 0x1234_5678_9ABC & TraceBlock.keyMask, tick: 0)) }
        #expect(encoder.take(lost: 0).count == TraceBlock.headerByteCount + 100 * 7 + 9_900 * 3)
    }

    @Test func timeDoesNotGoBackInAFile() throws {
        var encoder = TraceBlockEncoder()
        for tick in [5, 9, 3, 10] as [UInt64] { encoder.append(TraceEvent(.hit, key: 1, tick: tick)) }
        let bytes = TraceFileHeader(start: 1, tickLength: 10_000, sampledKeys: 65_536, number: 0).encoded + encoder.take(lost: 0)
        #expect(try Self.events(in: bytes).map(\.tick) == [5, 9, 9, 10])
    }
}
