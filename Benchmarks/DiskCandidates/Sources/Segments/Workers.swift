// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Synchronization

/// The work of a store beside its writers.
final class Workers: Sendable {
    private let sealing = DispatchQueue(label: "Segments.sealing", qos: .utility)
    private let writeback = DispatchQueue(label: "Segments.writeback", qos: .utility)
    private let cleaning = DispatchQueue(label: "Segments.cleaning", qos: .utility)
    private let isScheduled = Atomic(false)
    private let stopped = Atomic(false)

    var isStopped: Bool { stopped.load(ordering: .acquiring) }

    /// Has work end soon.
    func stop() { stopped.store(true, ordering: .releasing) }

    /// Waits until all work has ended.
    func wait() {
        cleaning.sync {}
        sealing.sync {}
        writeback.sync {}
    }

    func seal(_ work: @escaping @Sendable () -> Void) { sealing.async(execute: work) }
    func writeBack(_ work: @escaping @Sendable () -> Void) { writeback.async(execute: work) }

    /// Loads the index, before anything is cleaned.
    func load(_ work: @escaping @Sendable () -> Void) { cleaning.async(execute: work) }

    /// Cleans, unless that is going to happen anyway.
    func clean(_ work: @escaping @Sendable () -> Void) {
        guard isScheduled.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged else { return }
        cleaning.async { [self] in
            isScheduled.store(false, ordering: .releasing)
            work()
        }
    }

    /// Waits until all full segments have footers.
    func waitForSealing() { sealing.sync {} }

    /// Waits until the cleaning under way has ended.
    func waitForCleaning() { cleaning.sync {} }
}
