// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// The ``ReuseDistanceSampler`` of a proxy, which gets its references in batches and works on them beside the event loops.
final class MissRatioEstimator: Sendable {
    fileprivate struct Queue {
        var batches: [[ObjectAccess]] = []
        var isBeingWorkedOn = false
        var lostReferences = 0
    }

    /// Batches that wait at most; more are dropped, and taken back from the count.
    static let maximumBatchCount = 64

    private let queue = Mutex(Queue())
    private let sampler: Mutex<ReuseDistanceSampler>
    private let currentThreshold: Atomic<UInt64>

    init(_ sampler: ReuseDistanceSampler) {
        currentThreshold = Atomic(sampler.threshold)
        self.sampler = Mutex(sampler)
    }

    /// The threshold for ``ReuseDistanceSampler/isSampled(_:below:)``. It only ever falls. A thread with an older one samples too much, which does no harm.
    var threshold: UInt64 { currentThreshold.load(ordering: .relaxed) }

    /// Takes a batch, and has it worked on soon. O(1).
    func enqueue(_ batch: [ObjectAccess]) {
        let mustStart = queue.withLock { queue in
            guard queue.batches.count < Self.maximumBatchCount else {
                queue.lostReferences += batch.count
                return false
            }
            queue.batches.append(batch)
            guard !queue.isBeingWorkedOn else { return false }
            queue.isBeingWorkedOn = true
            return true
        }
        if mustStart { startTask(priority: .utility) { self.workOff() } }
    }

    private func workOff() {
        while queue.withLock({ $0.goOn() }) {
            sampler.withLock { addWaiting(to: &$0) }
        }
    }

    /// Adds all accesses that wait, and those that are handed in, and then looks at the sampler. The closure must not
    /// call this.
    func flush<Result: Sendable>(
        _ batches: [[ObjectAccess]] = [],
        requests: Int = 0,
        misses: Int = 0,
        _ body: (inout ReuseDistanceSampler) -> Result
    ) -> Result {
        sampler.withLock { sampler in
            addWaiting(to: &sampler)
            for batch in batches { sampler.add(batch) }
            sampler.count(requests: requests, misses: misses)
            currentThreshold.store(sampler.threshold, ordering: .relaxed)
            return body(&sampler)
        }
    }

    /// Takes from the queue only while the sampler is held, so that nothing is ever between the two.
    private func addWaiting(to sampler: inout ReuseDistanceSampler) {
        let (batches, lost) = queue.withLock { $0.take() }
        for batch in batches { sampler.add(batch) }
        if lost > 0 { sampler.forget(sampledRequests: lost) }
        currentThreshold.store(sampler.threshold, ordering: .relaxed)
    }
}

extension ReuseDistanceSampler {
    fileprivate mutating func add(_ batch: [ObjectAccess]) {
        for reference in batch { add(reference) }
    }
}

extension MissRatioEstimator.Queue {
    /// Whether there is anything to work on; if not, the next batch starts the work again.
    fileprivate mutating func goOn() -> Bool {
        isBeingWorkedOn = !batches.isEmpty
        return isBeingWorkedOn
    }

    fileprivate mutating func take() -> ([[ObjectAccess]], lost: Int) {
        defer {
            batches.removeAll()
            lostReferences = 0
        }
        return (batches, lostReferences)
    }
}
