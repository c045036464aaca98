// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Hoard

@testable import HoardDisk

/// A hold on a store's writing thread. Writes wait in order until the hold is released.
final class WriterHold: Sendable {
    private let entered = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    /// Returns when the writing thread is held. Does not keep a reference to the store.
    init(_ store: DiskStore) {
        hold(store.core)
        entered.wait()
    }

    private func hold(_ core: DiskCore) {
        core.queue.enqueue(
            .perform { [entered, released] _ in
                entered.signal()
                released.wait()
            }
        ) { core.drain() }
    }

    deinit { released.signal() }

    func release() { released.signal() }
}

extension DiskStore {
    /// Adds an operation to the queue that shares no transaction with another one.
    func separateBatches() {
        core.queue.enqueue(.perform { _ in }) { [core] in core.drain() }
    }

    /// The number of transactions that have told other processes of changes.
    func changeCount() throws -> Int { try rowCount(of: "changes") }

    /// Returns the payload of a key as text, without counting as a use.
    func peekText(_ key: RecordKey) async throws -> String? {
        try await peekRecord(forKey: key).map { String(decoding: $0.payload, as: UTF8.self) }
    }
}

extension Workspace {
    /// Opens a store after a change of its configuration.
    func open(_ change: (inout DiskStore.Configuration) throws -> Void) throws -> DiskStore {
        var configuration = configuration()
        try change(&configuration)
        return try DiskStore(configuration: configuration)
    }

    func record(_ text: String, partition: String) -> Hoard.Record {
        Hoard.Record(payload: Data(text.utf8), created: clock.now(), partition: partition)
    }

    /// A record of `count` bytes that do not repeat soon.
    func record(byteCount count: Int, seed: UInt8 = 1, tags: Set<String> = [], partition: String? = nil) -> Hoard.Record {
        Hoard.Record(payload: Data.pattern(count, seed: seed), created: clock.now(), tags: tags, partition: partition)
    }
}

extension Data {
    /// Bytes whose values depend on their positions.
    static func pattern(_ count: Int, seed: UInt8 = 1) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ $0 >> 16) &+ seed })
    }
}
