// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardDisk
import Synchronization

/// Keeps the events that a store reports.
final class EventRecorder: Sendable {
    private let recorded = Mutex<[DiskStore.Event]>([])

    var events: [DiskStore.Event] { recorded.withLock { $0 } }
    var kinds: [DiskStore.Event.Kind] { events.map(\.kind) }

    func record(_ event: DiskStore.Event) {
        recorded.withLock { $0.append(event) }
    }
}

/// A number that several tasks change.
final class Counter: Sendable {
    private let value = Mutex(0)

    /// Changes the number and returns it.
    func change(by difference: Int) -> Int {
        value.withLock { value in
            value += difference
            return value
        }
    }
}
