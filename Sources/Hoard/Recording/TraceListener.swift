// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Gets the accesses that a recorder gathers, in memory, in the order in which a file would have them.
package struct TraceListener: Sendable {
    /// Accesses that a listener gets next.
    package struct Batch: Sendable {
        package var events: [TraceEvent] = []
        /// The recorder's time, in ticks of ``TraceListener/tickMilliseconds``.
        package var now: UInt64 = 0
        /// The number of accesses that were lost before these.
        package var lost = 0
        /// Whether the recording has ended.
        package var isLast = false
    }

    /// The length of a tick.
    package static let tickMilliseconds: UInt64 = 10
    /// The most events in a batch.
    package static let maximumCount = 4_096

    /// Keys whose hashes end with 16 bits below this are of interest.
    let threshold: UInt32
    /// Called in the background at each interval of the recorder, with nothing if there is nothing; never twice at once.
    let receive: @Sendable (Batch) -> Void
}

/// The accesses that are handed to a listener in the course of a flush.
struct TraceDelivery {
    private let listener: TraceListener
    private var batch = TraceListener.Batch()

    init(to listener: TraceListener) { self.listener = listener }

    /// Hands an access over, now or with those that follow, if its key is of interest.
    mutating func append(_ event: TraceEvent, hash: UInt64, now: UInt64) {
        guard hash & 0xffff < listener.threshold else { return }
        if batch.events.capacity == 0 { batch.events.reserveCapacity(TraceListener.maximumCount) }
        batch.events.append(event)
        guard batch.events.count == TraceListener.maximumCount else { return }
        batch.now = event.tick
        listener.receive(batch)
        batch.events.removeAll(keepingCapacity: true)
    }

    /// Hands over the remaining accesses.
    mutating func end(now: UInt64, lost: Int, isLast: Bool) {
        (batch.now, batch.lost, batch.isLast) = (now, lost, isLast)
        listener.receive(batch)
    }
}
