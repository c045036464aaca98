// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Candidates
internal import Foundation
internal import Segments

extension Measurement {
    /// Writes records into an empty store. Tells at each mark the cost of a record so far, and in the last
    /// twentieth before it. Then reads some.
    func fill(marks: [Int], kills: Bool) async throws {
        let memory = System.memoryBytes
        let before = System.counters
        let subject = try open()
        var written = 0
        var nanoseconds: Int64 = 0
        var processor = 0
        for mark in marks {
            let tail = max(mark - mark / 20, written)
            var times: [Int64] = []
            var latencies = LatencyHistogram()
            for range in [written..<tail, tail..<mark] {
                let start = System.now()
                let busy = System.counters.processorNanoseconds
                latencies.add(try await write(range, to: subject))
                times.append(System.now() - start)
                processor += System.counters.processorNanoseconds - busy
            }
            nanoseconds += times[0] + times[1]
            written = mark
            var line = line("fill")
            line.add("records", mark)
            line.add("µs per record", Double(nanoseconds) / Double(mark) / 1_000)
            line.add("µs per record at the end", Double(times[1]) / Double(mark - tail) / 1_000)
            line.add("processor µs per record", Double(processor) / Double(mark) / 1_000)
            line.add(latencies)
            let counters = System.counters - before
            line.add("written by payload", Double(counters.writtenBytes) / Double(mark * payload))
            line.add("device written by payload", Double(counters.deviceWrittenBytes) / Double(mark * payload))
            line.add("space by payload", Double(System.allocatedBytes(directory)) / Double(mark * payload))
            line.add("memory per record", Double(System.memoryBytes - memory) / Double(mark), digits: 1)
            if let statistics = Subjects.statistics(subject) { line.add("index per record", Double(statistics.indexBytes) / Double(mark), digits: 1) }
            let read = try read(50_000, of: 0..<mark, from: subject)
            guard read.hits == 50_000 else { throw UsageError(description: "\(name) lost \(50_000 - read.hits) of 50,000 records") }
            line.add("µs per warm get", read.nanoseconds / 1_000)
            let miss = try self.read(50_000, of: 2_000_000_000..<2_100_000_000, from: subject)
            line.add("µs per miss", miss.nanoseconds / 1_000)
            line.print()
        }
        if kills { kill(getpid(), SIGKILL) }
        try await subject.close()
    }

    /// Opens a store of so many records: the time to the first hit, and until everything is known.
    func reopen(records: Int, isCold: Bool) async throws {
        if isCold { System.dropPages(directory) }
        let memory = System.memoryBytes
        let busy = System.counters.processorNanoseconds
        let start = System.now()
        let subject = try open()
        let opened = System.now()
        // The first hit of an old record.
        _ = try read(1, of: 0..<max(records / 2, 1), from: subject, seed: UInt64(start))
        let first = System.now()
        subject.waitUntilComplete()
        let complete = System.now()
        var line = line(isCold ? "open, cold" : "open")
        line.add("records", records)
        line.add("found", subject.recordCount)
        line.add("ms to open", Double(opened - start) / 1e6)
        line.add("ms to first hit", Double(first - start) / 1e6)
        line.add("ms until complete", Double(complete - start) / 1e6)
        line.add("processor ms until complete", Double(System.counters.processorNanoseconds - busy) / 1e6)
        line.add("memory per record", Double(System.memoryBytes - memory) / Double(records), digits: 1)
        let read = try read(20_000, of: 0..<records, from: subject)
        line.add("hits of 20000", read.hits)
        line.add("µs per warm get", read.nanoseconds / 1_000)
        line.print()
        try await subject.close()
    }

    /// Reads records whose pages the kernel has been made to forget.
    func cold(records: Int, count: Int) async throws {
        let subject = try open()
        subject.waitUntilComplete()
        System.dropPages(directory)
        let before = System.counters
        let read = try read(count, of: 0..<records, from: subject, seed: 99)
        let counters = System.counters - before
        var line = line("cold get")
        line.add("records", records)
        line.add("hits", read.hits)
        line.add("µs per get", read.nanoseconds / 1_000)
        line.add("device reads per hit", Double(counters.deviceReads) / Double(max(read.hits, 1)))
        // The thread's alone: a store may examine its files meanwhile, beside the reading.
        line.add("bytes read per hit", Double(counters.readBytes) / Double(max(read.hits, 1)), digits: 0)
        line.print()
        try await subject.close()
    }
}
