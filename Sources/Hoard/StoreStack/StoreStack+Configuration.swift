// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension StoreStack {
    /// The deadline of calls of stores, and the rules by which failing stores are left alone.
    public struct Configuration: Sendable, Hashable {
        /// The longest time that a caller waits for one operation of a store. `nil`: as long as it takes. Default: 1 second.
        ///
        /// An operation under way goes on by itself. Until it has ended, nothing else is written or removed under its keys. No deadline can end a
        /// read of an ``ImmediateRecordStore``, which runs on the caller's thread. After a read that took longer than a quarter of this time, reads
        /// are made under the deadline until one is quick again.
        public var deadline: Duration?

        /// The number of failures in a row, including operations not done in time, after which a store is left alone. Default: 5.
        public var failuresToOpen: Int

        /// The time for which a store is left alone. Default: 2 seconds. If it still fails, the time is doubled.
        public var openFor: Duration

        /// The longest time for which a store is left alone. Default: 60 seconds.
        public var maximumOpenFor: Duration

        /// The most keys, tags and partitions of missed invalidations that are remembered for each store. Default: 10,000. With more, the store is
        /// emptied before it is next read.
        public var maximumJournalCount: Int

        /// The time after which missed invalidations are tried again in a store that is not left alone. Default: 2 seconds.
        public var retryAfter: Duration

        /// Creates a configuration.
        ///
        /// - Precondition: Durations are positive, `failuresToOpen` is at least 1, `maximumOpenFor` is not less than `openFor`, and
        ///   `maximumJournalCount` is not negative.
        public init(
            deadline: Duration? = .seconds(1),
            failuresToOpen: Int = 5,
            openFor: Duration = .seconds(2),
            maximumOpenFor: Duration = .seconds(60),
            maximumJournalCount: Int = 10_000,
            retryAfter: Duration = .seconds(2)
        ) {
            self.deadline = deadline
            self.failuresToOpen = failuresToOpen
            self.openFor = openFor
            self.maximumOpenFor = maximumOpenFor
            self.maximumJournalCount = maximumJournalCount
            self.retryAfter = retryAfter
            checkLimits()
        }

        /// Stops the program if no stack can have this configuration. A stack checks again, as properties can change after `init`.
        func checkLimits() {
            precondition(deadline.map { $0 > .zero } ?? true, "A deadline must be longer than zero; nil waits for as long as it takes.")
            precondition(failuresToOpen >= 1, "failuresToOpen must be at least 1; Int.max never leaves a store alone.")
            precondition(openFor > .zero && retryAfter > .zero, "openFor and retryAfter must be longer than zero.")
            precondition(maximumOpenFor >= openFor, "maximumOpenFor must not be less than openFor.")
            precondition(maximumJournalCount >= 0, "maximumJournalCount must not be negative.")
        }
    }
}
