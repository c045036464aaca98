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
