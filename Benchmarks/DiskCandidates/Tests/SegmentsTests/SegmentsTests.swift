// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Segments
import Testing

@Suite struct SegmentsTests {
    @Test func whatWasWrittenIsThereAfterReopening() throws {
        let directory = try TemporaryDirectory()
        var model = Model()
        for round in 1...4 {
            let store = try SegmentStore(.init(directory: directory.path, segmentBytes: 64 << 10))
            for key in 0..<500 where key % round == 0 {
                if key % 7 == 3 {
                    try store.remove(key)
                    model.set(key, 0)
                } else {
                    try store.set(key, round * 1_000 + key)
                    model.set(key, round * 1_000 + key)
                }
            }
            #expect(try model.violation(store) == nil)
            try store.close()
        }
        let store = try SegmentStore(.init(directory: directory.path, segmentBytes: 64 << 10))
        // Before the index is complete, and after.
        #expect(try model.violation(store) == nil)
        store.waitUntilComplete()
        #expect(try model.violation(store) == nil)
        #expect(store.recordCount == model.allowed.values.count { $0 != [0] })
        try store.close()
    }

    @Test func randomChangesFollowTheModel() throws {
        for seed in 1...UInt64(campaignSize("SEGMENTS_MODELS", 4)) {
            let directory = try TemporaryDirectory()
            var generator = Generator(seed: seed)
            let maximumBytes = seed % 2 == 0 ? 4 << 20 : nil
            let configuration = SegmentStore.Configuration(directory: directory.path, maximumBytes: maximumBytes, segmentBytes: 64 << 10)
            var model = Model()
            model.mayForget = maximumBytes != nil
            var store = try SegmentStore(configuration)
            for turn in 1...8_000 {
                let key = Int.random(in: 0..<3_000, using: &generator)
                switch Int.random(in: 0..<100, using: &generator) {
                case 0..<60:
                    try store.set(key, turn)
                    model.set(key, turn)
                case 60..<75:
                    try store.remove(key)
                    model.set(key, 0)
                default:
                    let found = try store.version(key)
                    let allowed = model.allowed[key] ?? [0]
                    #expect(allowed.contains(found) || (model.mayForget && found == 0), "seed \(seed), turn \(turn), key \(key)")
                }
                if turn % 2_000 == 0 {
                    try store.close()
                    store = try SegmentStore(configuration)
                }
                if let maximumBytes { #expect(store.statistics.fileBytes <= maximumBytes) }
            }
            #expect(try model.violation(store) == nil, "seed \(seed)")
            try store.close()
        }
    }

    @Test func aFullStoreKeepsWhatIsRead() throws {
        let directory = try TemporaryDirectory()
        let store = try SegmentStore(.init(directory: directory.path, maximumBytes: 4 << 20, segmentBytes: 64 << 10))
        for turn in 0..<16_000 {
            try store.set(turn, turn + 1)
            if turn >= 100, turn % 20 == 0 { for key in 0..<100 { _ = try store.version(key) } }
        }
        let hot = try (0..<100).count { try store.version($0) != 0 }
        let cold = try (100..<4_000).count { try store.version($0) != 0 }
        #expect(hot > 95)
        #expect(cold == 0)
        #expect(store.statistics.spared > 0)
        try store.close()
    }

    /// A record that was read moves to the main log. When a later version of it is evicted from the small log, the older one must not come back.
    @Test func anEvictedRecordBringsNoOlderOneBack() throws {
        let directory = try TemporaryDirectory()
        let configuration = SegmentStore.Configuration(directory: directory.path, maximumBytes: 4 << 20, segmentBytes: 64 << 10)
        var store = try SegmentStore(configuration)
        var fillers = 10_000
        func fill(_ count: Int) throws {
            for _ in 0..<count {
                fillers += 1
                try store.set(fillers, 1)
            }
            store.waitForWorkers()
        }
        for key in 0..<200 {
            try store.set(key, 1)
            _ = try store.version(key)
        }
        try fill(8_000)
        #expect(store.statistics.spared >= 200)
        // A record that was rewritten has a use, so it moves. Only a removal ends in the small log.
        for key in 0..<200 { if key % 2 == 0 { try store.remove(key) } else { try store.set(key, 2) } }
        try fill(4_000)
        for _ in 0..<2 {
            try store.close()
            store = try SegmentStore(configuration)
            for key in 0..<200 {
                let version = try store.version(key)
                #expect(version == 0 || key % 2 == 1 && version == 2, "key \(key)")
            }
            store.waitUntilComplete()
        }
        try store.close()
    }

    @Test func deadSpaceComesBackWithoutALimit() throws {
        let directory = try TemporaryDirectory()
        let store = try SegmentStore(.init(directory: directory.path, segmentBytes: 64 << 10))
        for turn in 1...8_000 { try store.set(turn % 200, turn) }
        for _ in 0..<500 where store.statistics.segments > 12 { store.waitForWorkers() }
        #expect(store.recordCount == 200)
        #expect(store.statistics.segments <= 12)
        for key in 0..<200 { #expect(try store.version(key) > 7_000) }
        try store.close()
    }

    @Test func aStoreIsOpenOnce() throws {
        let directory = try TemporaryDirectory()
        let store = try SegmentStore(.init(directory: directory.path))
        #expect(throws: SegmentError.self) { try SegmentStore(.init(directory: directory.path)) }
        try store.close()
        try SegmentStore(.init(directory: directory.path)).close()
    }

    @Test func recordsThatDoNotFitAreRefused() throws {
        let directory = try TemporaryDirectory()
        let store = try SegmentStore(.init(directory: directory.path, segmentBytes: 64 << 10))
        #expect(throws: SegmentError.self) { try store.commit([SegmentChange(key: [1], payload: Array(repeating: 0, count: 64 << 10))]) }
        #expect(throws: SegmentError.self) { try store.commit([SegmentChange(key: Array(repeating: 0, count: 70_000), payload: [])]) }
        try store.commit([SegmentChange(key: [], payload: [])])
        #expect(store.recordCount == 1)
        try store.close()
    }

    @Test func readersAndWritersAtOnce() async throws {
        let directory = try TemporaryDirectory()
        let store = try SegmentStore(.init(directory: directory.path, maximumBytes: 4 << 20, segmentBytes: 64 << 10))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<2 {
                group.addTask { for turn in 1...3_000 { try store.set(turn * 2 % 3_000 + writer, turn) } }
            }
            for reader in 0..<2 {
                group.addTask {
                    var generator = Generator(seed: UInt64(reader))
                    for _ in 0..<6_000 {
                        let key = Int.random(in: 0..<3_000, using: &generator)
                        let version = try store.version(key)
                        #expect(version >= 0)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(store.statistics.damaged == 0)
        try store.close()
    }
}
