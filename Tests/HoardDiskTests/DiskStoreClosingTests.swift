// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Synchronization
import Testing

@testable import HoardDisk

@Suite struct DiskStoreClosingTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    @Test func everyOperationOnAClosedStoreSaysSo() async throws {
        let store = try workspace.open(maximumBytes: 1000)
        await store.close()
        let record = workspace.record()
        let tooLarge = Record(payload: Data(count: 1000), created: ManualClock.start)
        #expect(await store.code { store throws(StoreError) in _ = try await store.record(forKey: "key") } == .closed)
        #expect(await store.code { store throws(StoreError) in _ = try await store.peekRecord(forKey: "key") } == .closed)
        #expect(await store.code { store throws(StoreError) in try await store.insert(record, forKey: "key") } == .closed)
        #expect(await store.code { store throws(StoreError) in try await store.insert(tooLarge, forKey: "key") } == .closed)
        #expect(await store.code { store throws(StoreError) in try await store.removeRecord(forKey: "key") } == .closed)
        #expect(await store.code { store throws(StoreError) in try await store.removeRecords(taggedWith: "tag") } == .closed)
        #expect(await store.code { store throws(StoreError) in try await store.removeAll() } == .closed)
        #expect(await store.code { store throws(StoreError) in _ = try await store.statistics() } == .closed)
        #expect(await store.code { store throws(StoreError) in _ = try await store.entries() } == .closed)
    }

    @Test func closingAgainDoesNothing() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(), forKey: "key")
        await store.close()
        await store.close()
        #expect(try await workspace.open().record(forKey: "key") != nil)
    }

    @Test func everyCallerOfCloseWaitsUntilTheFilesAreClosed() async throws {
        let workspace = workspace
        for _ in 0..<10 {
            let store = try workspace.open()
            try await store.insert(workspace.record(), forKey: "key")
            try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        await store.close()
                        return try workspace.files()
                    }
                }
                for try await files in group { #expect(files == ["hoard.sqlite"]) }
            }
        }
    }

    /// The thread that checks the database and the one that writes report events, and closing waits for both.
    @Test func storeCanBeReleasedByItsFunctionForEvents() async throws {
        let box = Box()
        let core = try await openStore(keptIn: box)
        let event = try #require(core.configuration.onEvent)
        core.housekeeping.async { event(.writeLost) }
        core.housekeeping.sync {}
        #expect(box.store.withLock { $0 == nil })
        #expect(try await workspace.open().record(forKey: "key") != nil)
    }

    private func openStore(keptIn box: Box) async throws -> DiskCore {
        var configuration = workspace.configuration()
        configuration.onEvent = { _ in _ = box.store.withLock { store in store.take() } }
        let store = try DiskStore(configuration: configuration)
        try await store.insert(workspace.record(), forKey: "key")
        box.store.withLock { $0 = store }
        return store.core
    }

    @Test func closingWritesTheUsesAndFoldsTheLogIn() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(), forKey: "key")
        workspace.clock.advance(by: 30)
        _ = try await store.record(forKey: "key")
        await store.close()
        #expect(try workspace.files() == ["hoard.sqlite"])
        let entry = try #require(try await workspace.open().entries().first)
        #expect(entry.lastAccess == ManualClock.start + 30)
    }

    @Test func aStoreThatIsReleasedGivesItsFilesBack() async throws {
        var store: DiskStore? = try workspace.open()
        try await store?.insert(workspace.record(), forKey: "key")
        #expect(try workspace.files().count == 3)
        store = nil
        #expect(try workspace.files() == ["hoard.sqlite"])
    }

    @Test func operationsUnderWayWhenTheStoreClosesSucceedOrSayThatItIsClosed() async throws {
        for _ in 0..<20 {
            let store = try workspace.open()
            let record = workspace.record()
            let stored = await withTaskGroup(of: [RecordKey].self) { group in
                for task in 0..<4 {
                    group.addTask {
                        var stored: [RecordKey] = []
                        for number in 0..<20 {
                            let key = RecordKey("\(task) \(number)")
                            let code = await store.code { store throws(StoreError) in
                                try await store.insert(record, forKey: key)
                                _ = try await store.record(forKey: key)
                                _ = try await store.entries(limit: 1)
                            }
                            #expect(code == nil || code == .closed)
                            if code != nil { break }
                            stored.append(key)
                        }
                        return stored
                    }
                }
                await store.close()
                return await group.reduce(into: []) { $0 += $1 }
            }
            let reopened = try workspace.open()
            for key in stored { #expect(try await reopened.peekRecord(forKey: key) != nil) }
            await reopened.close()
        }
        #expect(workspace.events.events.isEmpty)
    }
}

/// Keeps a store until its function for events lets go of it.
private final class Box: Sendable {
    let store = Mutex<DiskStore?>(nil)
}
