// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import Testing

@testable import HoardViews

@Suite struct PrefetchShelfTests {
    private let time = ManualTicker()

    private func key(_ name: String, partition: String? = nil) -> ViewKey { ViewKey(address: name, partition: partition, isSensitive: false) }
    private func record(_ deadline: Int64 = 100) -> PrefetchRecord { PrefetchRecord(deadline: deadline, ticker: time) }

    @Test func whatIsKeptCanBeSeenAndTakenOnce() {
        var shelf = PrefetchShelf<String>(maximumCount: 3, maximumBytes: 100)
        #expect(shelf.add("a", byteCount: 10, record: record(), forKey: key("a"), now: 0).isEmpty)
        #expect(shelf.entry(forKey: key("a"), now: 99)?.content == "a")
        #expect(shelf.entry(forKey: key("a"), now: 100) == nil)
        #expect(shelf.entry(forKey: key("b"), now: 0) == nil)
        #expect(shelf.byteCount == 10)
        #expect(shelf.remove(key("a"))?.content == "a")
        #expect(shelf.remove(key("a")) == nil)
        #expect(shelf.byteCount == 0 && shelf.count == 0)
    }

    @Test func oldestGoFirst() {
        var shelf = PrefetchShelf<String>(maximumCount: 2, maximumBytes: 100)
        for name in ["a", "b"] { #expect(shelf.add(name, byteCount: 1, record: record(), forKey: key(name), now: 0).isEmpty) }
        #expect(shelf.add("c", byteCount: 1, record: record(), forKey: key("c"), now: 0).map(\.content) == ["a"])
        #expect(shelf.add("d", byteCount: 100, record: record(), forKey: key("d"), now: 0).map(\.content) == ["b", "c"])
        #expect(shelf.byteCount == 100)
    }

    @Test func whatHasNoRoomAtAllDisplacesNothing() {
        var shelf = PrefetchShelf<String>(maximumCount: 2, maximumBytes: 10)
        _ = shelf.add("a", byteCount: 10, record: record(), forKey: key("a"), now: 0)
        #expect(shelf.add("b", byteCount: 11, record: record(), forKey: key("b"), now: 0).map(\.content) == ["b"])
        #expect(shelf.add("c", byteCount: 1, record: record(5), forKey: key("c"), now: 5).map(\.content) == ["c"])
        #expect(shelf.count == 1)
        var none = PrefetchShelf<String>(maximumCount: -1, maximumBytes: 10)
        #expect(none.add("a", byteCount: 0, record: record(), forKey: key("a"), now: 0).map(\.content) == ["a"])
    }

    @Test func sameKeyIsReplaced() {
        var shelf = PrefetchShelf<String>(maximumCount: 2, maximumBytes: 10)
        _ = shelf.add("old", byteCount: 5, record: record(), forKey: key("a"), now: 0)
        #expect(shelf.add("new", byteCount: 6, record: record(), forKey: key("a"), now: 0).map(\.content) == ["old"])
        #expect(shelf.byteCount == 6)
    }

    @Test func expiredEntriesMakeRoomBeforeOthersDo() {
        var shelf = PrefetchShelf<String>(maximumCount: 2, maximumBytes: 10)
        _ = shelf.add("long", byteCount: 1, record: record(100), forKey: key("a"), now: 0)
        _ = shelf.add("short", byteCount: 1, record: record(10), forKey: key("b"), now: 0)
        #expect(shelf.add("c", byteCount: 1, record: record(), forKey: key("c"), now: 10).map(\.content) == ["short"])
        #expect(shelf.removeExpired(now: 99).isEmpty)
        #expect(Set(shelf.removeExpired(now: 100).map(\.content)) == ["long", "c"])
    }

    @Test func scopeIsRemoved() {
        var shelf = PrefetchShelf<String>(maximumCount: 9, maximumBytes: 100)
        for (name, partition) in [("a", "u1"), ("b", "u1"), ("a", "u2"), ("a", nil)] as [(String, String?)] {
            _ = shelf.add("\(name)\(partition ?? "")", byteCount: 1, record: record(), forKey: key(name, partition: partition), now: 0)
        }
        #expect(Set(shelf.remove(.partition(ExactText("u1"))).map(\.content)) == ["au1", "bu1"])
        #expect(shelf.remove(.view(key("a"))).map(\.content) == ["a"])
        #expect(shelf.remove(.all).map(\.content) == ["au2"])
        #expect(shelf.byteCount == 0)
    }

    @Test(arguments: 0..<10)
    func shelfStaysWithinItsLimitsAndKeepsTheNewest(round: Int) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let (maximumCount, maximumBytes) = (Int.random(in: 0...5, using: &random), Int.random(in: 0...30, using: &random))
        var shelf = PrefetchShelf<Int>(maximumCount: maximumCount, maximumBytes: maximumBytes)
        var model: [(key: ViewKey, content: Int, bytes: Int, deadline: Int64)] = []
        for step in 0..<500 {
            let now = Int64(step)
            let key = key("\(Int.random(in: 0..<6, using: &random))")
            if Bool.random(using: &random) {
                let (bytes, deadline) = (Int.random(in: 0...12, using: &random), now + Int64.random(in: 0...40, using: &random))
                model.removeAll { $0.deadline <= now || $0.key == key }
                if bytes <= maximumBytes, maximumCount > 0, deadline > now {
                    while model.count >= maximumCount || model.reduce(bytes, { $0 + $1.bytes }) > maximumBytes { model.removeFirst() }
                    model.append((key, step, bytes, deadline))
                }
                _ = shelf.add(step, byteCount: bytes, record: record(deadline), forKey: key, now: now)
            } else {
                #expect(shelf.remove(key)?.content == model.first { $0.key == key }?.content, "seed \(seed)")
                model.removeAll { $0.key == key }
            }
            #expect(shelf.count == model.count, "seed \(seed)")
            #expect(shelf.byteCount == model.reduce(0) { $0 + $1.bytes }, "seed \(seed)")
        }
    }
}

@Suite struct PrefetchTests {
    @Test func useIsSettledOnce() {
        let time = ManualTicker()
        let record = PrefetchRecord(deadline: 10, ticker: time)
        let prefetch = Prefetch(url: "u", outcome: .fetched, byteCount: 3, record: record)
        #expect(prefetch.use == .pending)
        record.settle(.used)
        record.settle(.unused)
        time.advance(by: .nanoseconds(10))
        #expect(prefetch.use == .used)
    }

    @Test func timeThatPassesMakesItUnused() {
        let time = ManualTicker()
        let prefetch = Prefetch(url: "u", outcome: .fetched, byteCount: 3, record: PrefetchRecord(deadline: 10, ticker: time))
        time.advance(by: .nanoseconds(10))
        #expect(prefetch.use == .unused)
    }

    @Test func reportCounts() {
        let time = ManualTicker()
        let used = PrefetchRecord(deadline: 10, ticker: time, use: .used)
        let pending = PrefetchRecord(deadline: 10, ticker: time)
        let report = PrefetchReport(results: [
            .success(Prefetch(url: "1", outcome: .fetched, byteCount: 3, record: used)),
            .success(Prefetch(url: "2", outcome: .fetched, byteCount: 4, record: pending)),
            .success(Prefetch(url: "3", outcome: .alreadyKept, byteCount: 5, record: pending)),
            .success(Prefetch(url: "4", outcome: .skippedToSaveData)),
            .failure(.cancelled),
        ])
        #expect(report.fetchedCount == 2)
        #expect(report.alreadyKeptCount == 1)
        #expect(report.skippedCount == 1)
        #expect(report.failedCount == 1)
        #expect(report.usedCount == 1)
        #expect(report.unusedCount == 0)
        #expect(report.wastedBytes == 0)
        time.advance(by: .nanoseconds(10))
        #expect(report.unusedCount == 2)
        #expect(report.wastedBytes == 4)
    }
}
