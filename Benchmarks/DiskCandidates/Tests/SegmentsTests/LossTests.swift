// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Segments

/// Stores of which a part is lost, or cannot be deleted: they forget, but bring nothing old back, and go on.
@Suite struct LossTests {
    private let firstSmall = SegmentName(.small, 1).file
    private let firstMain = SegmentName(.main, 1).file

    private func configuration(_ directory: TemporaryDirectory, maximumBytes: Int? = nil) -> SegmentStore.Configuration {
        SegmentStore.Configuration(directory: directory.path, maximumBytes: maximumBytes, segmentBytes: 64 << 10)
    }

    /// Moves the records of `keys` to the main log of a store of 4 MiB.
    private func fillMain(_ store: SegmentStore, keys: Range<Int>) throws {
        for key in keys {
            try store.set(key, 1)
            _ = try store.version(key)
        }
        for filler in 0..<8_000 { try store.set(1_000_000 + filler, 1) }
        store.waitForWorkers()
        try #require(store.statistics.spared >= keys.count)
    }

    @Test func recordsBeforeALossStayAwayAfterAnotherKill() throws {
        let written = try TemporaryDirectory()
        let first = try SegmentStore(configuration(written))
        try first.set(1, 1)
        let end = written.byteCount(firstSmall)
        try first.set(1, 2)
        let damaged = try written.copy()
        try damaged.change(firstSmall) { $0 = $0.prefix(end) }
        let second = try SegmentStore(configuration(damaged))
        #expect(try second.version(1) == 0)
        try second.set(2, 1)
        let killed = try damaged.copy()
        let third = try SegmentStore(configuration(killed))
        #expect(try third.version(1) == 0)
        #expect(try third.version(2) == 1)
        for store in [first, second, third] { try store.close() }
    }

    @Test func aSegmentThatWasNotBegunLeavesNoGap() throws {
        let written = try TemporaryDirectory()
        let first = try SegmentStore(configuration(written))
        try first.set(0, 1)
        let killed = try written.copy()
        try killed.create(SegmentName(.small, 2).file)
        let second = try SegmentStore(configuration(killed))
        for key in 1..<200 { try second.set(key, 1) }
        #expect(second.statistics.segments > 2)
        for key in 0..<200 { #expect(try second.version(key) == 1) }
        try second.close()
        let third = try SegmentStore(configuration(killed))
        third.waitUntilComplete()
        for key in 0..<200 { #expect(try third.version(key) == 1) }
        for store in [first, third] { try store.close() }
    }

    @Test func aSegmentThatWasCutDoesNotStopTheHand() throws {
        let directory = try TemporaryDirectory()
        let limit = 4 << 20
        var store = try SegmentStore(configuration(directory, maximumBytes: limit))
        for key in 0..<1_000 { try store.set(key, 1) }
        try store.close()
        try directory.change(SegmentName(.small, 3).file) { $0 = $0.prefix($0.count / 2) }
        store = try SegmentStore(configuration(directory, maximumBytes: limit))
        store.waitUntilComplete()
        for key in 1_000..<12_000 { try store.set(key, 2) }
        #expect(try store.version(11_999) == 2)
        #expect(store.statistics.fileBytes <= limit)
        try store.close()
    }

    @Test func aRemovalHoldsIfAnOpeningFailsAfterItsSegmentIsLost() throws {
        let directory = try TemporaryDirectory()
        var store = try SegmentStore(configuration(directory, maximumBytes: 4 << 20))
        try fillMain(store, keys: 0..<200)
        let small = directory.files.filter { $0.hasPrefix("small") }
        for key in 0..<200 { try store.remove(key) }
        for filler in 0..<400 { try store.set(2_000_000 + filler, 1) }
        store.waitForWorkers()
        try store.close()
        // The removals are in the segment that was the newest, and perhaps in the next.
        let newest = try #require(small.last)
        for file in directory.files.filter({ $0.hasPrefix("small") && $0 >= newest }).dropLast() { try directory.delete(file) }
        try directory.blocking(firstMain) {
            #expect(throws: SegmentError.self) { try SegmentStore(configuration(directory)) }
        }
        store = try SegmentStore(configuration(directory))
        store.waitUntilComplete()
        for key in 0..<200 { #expect(try store.version(key) == 0) }
        try store.close()
    }

    @Test func aRemovalHoldsWhileTheSegmentOfItsRecordCannotBeDeleted() throws {
        let directory = try TemporaryDirectory()
        var configuration = configuration(directory, maximumBytes: 4 << 20)
        configuration.smallShare = 0.5
        let keys = 0..<1_200
        var store = try SegmentStore(configuration)
        try fillMain(store, keys: keys)
        try #require(store.segments.oldest(of: .main)?.name == SegmentName(.main, 1))
        var evicted: [Int] = []
        try directory.blocking(firstMain) {
            var filler = 2_000_000
            func fill(_ count: Int) throws {
                for _ in 0..<count {
                    filler += 1
                    try store.set(filler, 1)
                    // Some move to the main log, until the hand comes to its oldest segment.
                    if filler % 10 == 0 { _ = try store.version(filler) }
                    store.waitForWorkers()
                }
            }
            for _ in 0..<400 where !store.counters.isCleaning.load(ordering: .acquiring) { try fill(100) }
            evicted = try keys.filter { try store.version($0) == 0 }
            for key in evicted {
                try fill(4)
                try store.remove(key)
            }
            try store.close()
        }
        #expect(evicted.count > 20)
        store = try SegmentStore(self.configuration(directory))
        store.waitUntilComplete()
        for key in evicted { #expect(try store.version(key) == 0) }
        try store.close()
    }
}
