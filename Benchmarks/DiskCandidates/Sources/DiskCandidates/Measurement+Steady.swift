// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Candidates
internal import Foundation
internal import Segments
internal import Synchronization

extension Measurement {
    /// Writes new records until the store is full, and as many again while it evicts.
    func evict() async throws {
        guard let maximumBytes else { throw UsageError(description: "Say --limit.") }
        let subject = try open()
        let count = maximumBytes / (payload + 64) * 8 / 10
        let start = System.now()
        let filling = try await write(0..<count, to: subject)
        let full = System.now()
        // To the limit, not counted.
        _ = try await write(count..<count * 3 / 2, to: subject)
        let before = System.counters
        let began = System.now()
        let evicting = try await write(count * 3 / 2..<count * 5 / 2, to: subject)
        let end = System.now()
        let counters = System.counters - before
        var line = line("evict")
        line.add("limit", maximumBytes)
        line.add("records each", count)
        line.add("µs per record, filling", Double(full - start) / Double(count) / 1_000)
        line.add("µs per record, evicting", Double(end - began) / Double(count) / 1_000)
        line.add("ratio", Double(end - began) / Double(full - start))
        line.add("filling p99.9 µs", filling.microseconds(0.999), digits: 0)
        line.add("filling worst µs", Double(filling.worst) / 1_000, digits: 0)
        line.add(evicting)
        line.add("written by payload", Double(counters.writtenBytes) / Double(count * payload))
        line.add("device written by payload", Double(counters.deviceWrittenBytes) / Double(count * payload))
        line.add("space by limit", Double(System.allocatedBytes(directory)) / Double(maximumBytes))
        line.print()
        try await subject.close()
    }

    /// Overwrites random records of a set that takes a share of the limit.
    func overwrite(share: Double, turns: Double) async throws {
        guard let maximumBytes else { throw UsageError(description: "Say --limit.") }
        let subject = try open()
        let count = Int(Double(maximumBytes) * share) / ((EntrySize.bytes(payload: payload)))
        _ = try await write(0..<count, to: subject)
        let random: @Sendable (Int) -> Int = { turn in
            var generator = SplitMix64(state: UInt64(turn))
            return Int(generator.next() % UInt64(count))
        }
        _ = try await write(0..<count, to: subject, number: random)
        let before = System.counters
        let writes = Int(Double(count) * turns)
        let start = System.now()
        let latencies = try await write(count..<count + writes, to: subject, number: random)
        let end = System.now()
        let counters = System.counters - before
        var line = line("overwrite")
        line.add("limit", maximumBytes)
        line.add("share", share)
        line.add("µs per record", Double(end - start) / Double(writes) / 1_000)
        line.add(latencies)
        line.add("written by payload", Double(counters.writtenBytes) / Double(writes * payload))
        line.add("device written by payload", Double(counters.deviceWrittenBytes) / Double(writes * payload))
        let read = try read(50_000, of: 0..<count, from: subject)
        line.add("still there", Double(read.hits) / 50_000)
        line.print()
        try await subject.close()
    }

    /// Reads keys by Zipf's law and writes missing ones, with a set of keys that takes four times the limit.
    func readThrough(turns: Int) async throws {
        guard let maximumBytes else { throw UsageError(description: "Say --limit.") }
        let subject = try open()
        let keys = maximumBytes * 4 / EntrySize.bytes(payload: payload)
        var last = Figures()
        var writing = System.counters
        for round in 0..<2 {
            writing = System.counters
            last = try await readThrough(turns / 2 * round..<turns / 2 * (round + 1), keys: keys, subject)
        }
        let counters = System.counters - writing
        var line = line("read-through")
        line.add("limit", maximumBytes)
        line.add("keys", keys)
        line.add("hit ratio", Double(last.hits) / Double(turns / 2), digits: 4)
        line.add("sets", last.sets.count)
        line.add(last.sets)
        line.add("written by payload", Double(counters.writtenBytes) / Double(max(last.sets.count, 1) * payload))
        if let statistics = Subjects.statistics(subject) { line.add("spared", statistics.spared) }
        line.print()
        try await subject.close()
    }

    private struct Figures: Sendable {
        var hits = 0
        var sets = LatencyHistogram()
    }

    private func readThrough(_ turns: Range<Int>, keys: Int, _ subject: any Subject) async throws -> Figures {
        let next = Counter(turns.lowerBound)
        return try await withThrowingTaskGroup(of: Figures.self) { group in
            for _ in 0..<Self.writers {
                group.addTask {
                    var figures = Figures()
                    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: payload + 64, alignment: 16)
                    defer { bytes.deallocate() }
                    // Across suspensions, only its task uses the buffer.
                    nonisolated(unsafe) let buffer = bytes
                    while true {
                        let turn = next.value.wrappingAdd(1, ordering: .relaxed).oldValue
                        guard turn < turns.upperBound else { return figures }
                        var generator = SplitMix64(state: UInt64(turn) &* 31)
                        // A power law with exponent 0.9, by inversion.
                        let drawn = Double.random(in: 0..<1, using: &generator)
                        let number = min(Int(pow(drawn, 10) * Double(keys)), keys - 1)
                        if try subject.read(material.key(number), into: buffer) != nil {
                            figures.hits += 1
                            continue
                        }
                        let start = System.now()
                        try await subject.set(material.key(number), to: material.payload(number))
                        figures.sets.add(System.now() - start)
                    }
                }
            }
            var all = Figures()
            for try await figures in group {
                all.hits += figures.hits
                all.sets.add(figures.sets)
            }
            return all
        }
    }
}

enum EntrySize {
    /// The bytes of a segment for a record with a key of 30 bytes.
    static func bytes(payload: Int) -> Int { (32 + 30 + payload + 15) & ~15 }
}
