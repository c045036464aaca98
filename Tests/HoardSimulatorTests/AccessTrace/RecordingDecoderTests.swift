// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardSimulator

@Suite("Recordings as access traces", .timeLimit(.minutes(5)))
struct RecordingDecoderTests {
    let directory: TraceDirectory

    init() throws { directory = try TraceDirectory() }

    /// Records accesses, each in its own tick, and returns the path of the recording.
    private func recording(_ name: String = "some.trace", of accesses: [(CacheAccess, String)]) throws -> String {
        let path = directory.path + "/" + name
        let time = ManualTicker()
        let recorder = try CacheTraceRecorder(path: path, ticker: time, clock: time)
        for (access, key) in accesses {
            recorder.record(access, forKey: key)
            time.advance(by: .milliseconds(10))
            try recorder.flush()
        }
        try recorder.finish()
        return path
    }

    /// The requests with the numbers of their keys. Keys are numbered in the order in which they appear.
    private func numbered(_ path: String, partByteCount: Int = 1 << 16) throws -> [AccessRequest] {
        var numbers: [UInt64: UInt64] = [:]
        let read = try requests(of: path, partByteCount: partByteCount)
        #expect(read.format == .recording)
        return read.requests.map { request in
            var request = request
            let number = numbers[request.key] ?? UInt64(numbers.count)
            numbers[request.key] = number
            request.key = number
            return request
        }
    }

    @Test func aMissAndItsWriteAreOneRequestInEitherOrder() throws {
        let write = CacheAccess(.write, size: 500, lifetime: .seconds(60), cost: .milliseconds(3))
        let path = try recording(of: [
            (CacheAccess(.miss, group: "g"), "a"), (CacheAccess(.hit), "b"), (write, "a"), (write, "c"), (CacheAccess(.revalidated), "c"),
        ])
        let requests = try numbered(path)
        #expect(requests.map(\.kind) == [.read, .read, .read])
        #expect(requests.map(\.key) == [0, 1, 2])
        #expect(requests.map(\.wasHit) == [false, true, false])
        #expect(requests.map(\.size) == [500, nil, 500])
        #expect(requests.map(\.lifetime) == [60_000, nil, 60_000])
        #expect(requests.map(\.cost) == [3_000, nil, 3_000])
        #expect(requests.map(\.time) == [0, 10, 30])
        #expect(requests[0].group != nil)
    }

    @Test func aMissMayBeRecordedBehindItsWriteAndTheHitsOfOthers() throws {
        let accesses: [(CacheAccess, String)] = [
            (CacheAccess(.hit), "a"), (CacheAccess(.write, size: 500), "a"), (CacheAccess(.hit), "a"), (CacheAccess(.miss), "a"),
        ]
        let requests = try numbered(recording(of: accesses))
        #expect(requests.map(\.kind) == [.read, .read, .read])
        #expect(requests.map(\.wasHit) == [true, false, true])
        #expect(requests.map(\.size) == [nil, 500, nil])
    }

    @Test func aMissLongAfterAWriteAndAHitIsAnother() throws {
        let hits = Array(repeating: (CacheAccess(.hit), "a"), count: Int(RecordingWindow.longestAnswer) / 10 + 1)
        let requests = try numbered(recording(of: [(CacheAccess(.write, size: 500), "a")] + hits + [(CacheAccess(.miss), "a")]))
        #expect(requests.first?.kind == .write)
        #expect(requests.last?.kind == .uncacheable)
    }

    @Test func whatWasNotKeptAndChangesAreToldApart() throws {
        let path = try recording(of: [
            (CacheAccess(.miss), "a"), (CacheAccess(.pass), "b"), (CacheAccess(.write, size: 1), "c"), (CacheAccess(.stale), "c"),
            (CacheAccess(.write, size: 2), "c"), (CacheAccess(.removal), "c"), (CacheAccess(.miss), "c"),
        ])
        #expect(try numbered(path).map(\.kind) == [.uncacheable, .uncacheable, .write, .read, .write, .removal, .uncacheable])
    }

    @Test func theRemovalOfEverythingIsTheRemovalOfEachKey() throws {
        let path = directory.path + "/some.trace"
        let recorder = try CacheTraceRecorder(path: path)
        let cache = Cache<Int, Int>(maximumCount: 100)
        cache.recordAccesses(with: recorder)
        for key in 0..<3 { cache.insert(key, forKey: key) }
        try recorder.flush()
        cache.removeAll()
        try recorder.finish()
        let requests = try numbered(path)
        #expect(requests.map(\.kind) == [.write, .write, .write, .removal, .removal, .removal])
        #expect(Set(requests.suffix(3).map(\.key)) == [0, 1, 2])
    }

    @Test(arguments: [1, 7, 64, 1_000])
    func aRecordingMayBeCutAnywhere(partByteCount: Int) throws {
        let path = try recording(of: (0..<300).map { (CacheAccess($0 % 3 == 0 ? .miss : .hit, size: $0), "key \($0 % 50)") })
        #expect(try numbered(path, partByteCount: partByteCount) == numbered(path))
    }

    @Test func whatAKilledRecorderLeavesIsReadAsFarAsItGoes() throws {
        let path = try recording(of: (0..<20).map { (CacheAccess(.hit), "key \($0)") })
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let cut = try directory.write(bytes.dropLast(5), to: "cut.trace")
        #expect(try numbered(cut) == Array(numbered(path).dropLast()))
        let error = #expect(throws: AccessTraceError.self) { try requests(of: directory.write(bytes.prefix(40), to: "header.trace")) }
        #expect(error?.code == .truncated)
    }

    @Test func damageIsAnError() throws {
        let path = try recording(of: (0..<20).map { (CacheAccess(.hit), "key \($0)") })
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[bytes.count / 2] ^= 1
        let error = #expect(throws: AccessTraceError.self) { try requests(of: directory.write(bytes, to: "damaged.trace")) }
        #expect(error?.code == .corrupt)
    }

    @Test func aSampleTellsItsShareAndItsLosses() throws {
        let path = directory.path + "/some.trace"
        var configuration = CacheTraceRecorder.Configuration()
        (configuration.sampledShare, configuration.maximumPendingBytes) = (0.25, 0)
        let recorder = try CacheTraceRecorder(path: path, configuration: configuration)
        for number in 0..<100_000 { recorder.record(CacheAccess(.hit), forKey: number) }
        try recorder.flush()
        for number in 0..<1_000 { recorder.record(CacheAccess(.hit), forKey: number) }
        try recorder.finish()
        let reader = try AccessTraceReader(path: path)
        var batch: [AccessRequest] = []
        while try reader.readBatch(into: &batch) {}
        #expect(reader.sampledShare == 0.25)
        #expect(reader.lostCount == recorder.statistics.lost)
        #expect(reader.lostCount > 0)
    }

    @Test func moreThanAWindowOfRequestsIsReadInOrder() throws {
        let path = directory.path + "/some.trace"
        let recorder = try CacheTraceRecorder(path: path)
        let count = RecordingWindow.length * 2 + 1_000
        for number in 0..<count {
            recorder.record(CacheAccess(.miss), forKey: number)
            if number % 1_000 == 0 { try recorder.flush() }
        }
        // The first write comes too late for its miss, and the second comes in time.
        recorder.record(CacheAccess(.write, size: 7), forKey: 0)
        recorder.record(CacheAccess(.write, size: 8), forKey: count - 1)
        try recorder.finish()
        let requests = try requests(of: path).requests
        #expect(requests.count == count + 1)
        #expect(requests.count { $0.kind == .uncacheable } == count - 1)
        #expect(requests.first { $0.size == 7 }?.kind == .write)
        #expect(requests.first { $0.size == 8 }?.kind == .read)
    }
}
