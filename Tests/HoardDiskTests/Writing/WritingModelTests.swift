// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

/// Several tasks that write in both modes. Each has its own keys, and compares what it reads
/// with its own last writes.
@Suite struct WritingModelTests {
    private struct Setting: Sendable {
        var seed: UInt64
        var queuedCount = 1024
        var inlineByteCount = 32 << 10
        var isEncrypted = false
        var isCompressed = false
    }

    private static let settings = [
        Setting(seed: 1),
        Setting(seed: 2, queuedCount: 2),
        Setting(seed: 3, inlineByteCount: 50),
        Setting(seed: 4, inlineByteCount: 50, isEncrypted: true),
        Setting(seed: 5, isEncrypted: true, isCompressed: true),
    ]

    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func open(_ setting: Setting) throws -> DiskStore {
        try workspace.open {
            $0.maximumQueuedWriteCount = setting.queuedCount
            $0.maximumInlinePayloadBytes = setting.inlineByteCount
            $0.compression = setting.isCompressed ? .zlib() : .none
            $0.encryptionKey = setting.isEncrypted ? try .init(identifier: "test", bytes: Array(0..<32)) : nil
        }
    }

    /// Does the work of one task. Returns the records that must be there at the end.
    @Sendable private static func write(_ store: DiskStore, task: Int, setting: Setting, workspace: Workspace) async throws -> [RecordKey: Data] {
        var generator = SeededGenerator(seed: setting.seed &* 1000 &+ UInt64(task))
        var model: [RecordKey: (payload: Data, isTagged: Bool)] = [:]
        let keys = (0..<5).map { RecordKey("task \(task) key \($0)") }
        for step in 0..<120 {
            let key = keys[Int.random(in: 0..<5, using: &generator)]
            let place: Comment = "seed \(setting.seed), task \(task), step \(step)"
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<9:
                let payload = Data("\(step) ".utf8) + Data(repeating: UInt8(step), count: Int.random(in: 0..<3, using: &generator) * 400)
                let isTagged = Bool.random(using: &generator)
                let record = Hoard.Record(
                    payload: payload,
                    created: workspace.clock.now(),
                    tags: isTagged ? ["task \(task)"] : [],
                    partition: isTagged ? "partition \(task)" : nil
                )
                try await store.insert(record, forKey: key, mode: Bool.random(using: &generator) ? .behind : .durable)
                model[key] = (payload, isTagged)
            case 9..<11:
                try await store.removeRecord(forKey: key)
                model[key] = nil
            case 11:
                try await store.removeRecords(taggedWith: "task \(task)")
                model = model.filter { !$0.value.isTagged }
            case 12:
                try await store.removePartition("partition \(task)")
                model = model.filter { !$0.value.isTagged }
            default:
                #expect(try await store.record(forKey: key)?.payload == model[key]?.payload, place)
            }
            #expect(try await store.peekRecord(forKey: key)?.payload == model[key]?.payload, place)
        }
        return model.mapValues(\.payload)
    }

    @Test(arguments: settings) private func everyTaskReadsWhatItWroteLast(setting: Setting) async throws {
        let store = try open(setting)
        let workspace = workspace
        let expected = try await withThrowingTaskGroup(of: [RecordKey: Data].self) { group in
            for task in 0..<4 { group.addTask { try await Self.write(store, task: task, setting: setting, workspace: workspace) } }
            return try await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        }
        await store.flush()
        #expect(try store.countedTotals().count == expected.count)
        #expect(try await store.statistics().count == expected.count)
        for (key, payload) in expected { #expect(try await store.peekRecord(forKey: key)?.payload == payload) }
        await store.close()
        let reopened = try open(setting)
        for (key, payload) in expected { #expect(try await reopened.peekRecord(forKey: key)?.payload == payload) }
        #expect(try reopened.text("PRAGMA integrity_check") == "ok")
        #expect(try await reopened.statistics().corruptions == 0)
        #expect(workspace.events.events.isEmpty)
    }
}
