// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardProxy

@Suite("AccessLogRing")
struct AccessLogRingTests {
    private func take(_ ring: AccessLogRing, _ spare: inout [AccessLogBatch]) -> (records: Int, dropped: Int) {
        ring.take(into: &spare)
        return spare.reduce(into: (0, 0)) { sum, batch in
            sum.0 += batch.records.count
            sum.1 += batch.droppedCount
        }
    }

    @Test func theWriterIsCalledByTheFirstAndAtHalfTheRoom() {
        let ring = AccessLogRing(limits: .init(recordCount: 6, byteCount: 1 << 20))
        #expect((0..<8).map { _ in ring.append(report(), time: 0) } == [.soon, .none, .now, .none, .none, .none, .none, .none])
        var spare: [AccessLogBatch] = []
        #expect(take(ring, &spare) == (6, 2))
        #expect(take(ring, &spare) == (0, 0))
        #expect(ring.append(report(), time: 0) == .soon)
        #expect(take(ring, &spare) == (1, 0))
    }

    @Test func bytesAreBoundedToo() {
        // A record has 9 bytes of address, 3 of the method, 4,096 of the target.
        let ring = AccessLogRing(limits: .init(recordCount: 1_000, byteCount: 16_000))
        let long = get("/" + String(repeating: "x", count: 9_000))
        #expect((0..<6).map { _ in ring.append(long, time: 0) } == [.soon, .now, .none, .none, .none, .none])
        var spare: [AccessLogBatch] = []
        #expect(take(ring, &spare) == (4, 2))
        #expect(spare.allSatisfy { $0.bytes.count < 16_000 + 6_000 })
    }

    @Test func threadsDoNotLoseEachOthersRecords() async {
        let ring = AccessLogRing()
        await withTaskGroup { group in
            for worker in 0..<8 {
                group.addTask {
                    for step in 0..<500 { _ = ring.append(get("/\(worker)/\(step)"), time: Double(step)) }
                }
            }
        }
        var spare: [AccessLogBatch] = []
        ring.take(into: &spare)
        var targets: Set<String> = []
        for batch in spare {
            for record in batch.records { targets.insert(String(decoding: batch.bytes[record.range(.target)], as: UTF8.self)) }
        }
        #expect(targets.count == 4_000)
    }
}
