// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

extension FaultyStore {
    /// One of the things that a store does.
    public struct Operation: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// `record(forKey:)`.
        public static var record: Self { Self(description: #function) }
        /// `records(forKeys:)`.
        public static var records: Self { Self(description: #function) }
        /// `insert(_:forKey:)`.
        public static var insert: Self { Self(description: #function) }
        /// `insert(_:)`, of several records.
        public static var insertMany: Self { Self(description: #function) }
        /// `removeRecord(forKey:)`.
        public static var removeRecord: Self { Self(description: #function) }
        /// `removeRecords(forKeys:)`.
        public static var removeMany: Self { Self(description: #function) }
        /// `removeRecords(taggedWith:)`, of one tag or several.
        public static var removeTagged: Self { Self(description: #function) }
        /// `removePartition(_:)`.
        public static var removePartition: Self { Self(description: #function) }
        /// `markRecordStale(forKey:at:)`.
        public static var markStale: Self { Self(description: #function) }
        /// `markRecordsStale(taggedWith:at:)`.
        public static var markTaggedStale: Self { Self(description: #function) }
        /// `markAllRecordsStale(at:)`.
        public static var markAllStale: Self { Self(description: #function) }
        /// `removeAll()`.
        public static var removeAll: Self { Self(description: #function) }
        /// `statistics()`.
        public static var statistics: Self { Self(description: #function) }
        /// `recordCount(taggedWith:)`.
        public static var recordCount: Self { Self(description: #function) }
        /// `removeLeastRecentlyUsedRecords(taggedWith:keeping:)`.
        public static var evict: Self { Self(description: #function) }
        /// `noteUses(ofRecordsForKeys:)`.
        public static var noteUses: Self { Self(description: #function) }
        /// `recordPage(after:limit:)`.
        public static var recordPage: Self { Self(description: #function) }
        /// `peekRecord(forKey:)`.
        public static var peekRecord: Self { Self(description: #function) }
        /// `flush()`, which can wait and cannot fail.
        public static var flush: Self { Self(description: #function) }
        /// `close()`, which is only counted.
        public static var close: Self { Self(description: #function) }

        /// The operations of every store that can fail and wait: all but ``close``. ``evicting`` and ``listing`` have some more.
        public static var all: [Self] {
            [
                .record, .records, .insert, .insertMany, .removeRecord, .removeMany, .removeTagged, .removePartition, .markStale, .markTaggedStale,
                .markAllStale, .removeAll, .statistics,
            ]
        }

        /// The operations of an `EvictingRecordStore` beside those of every store.
        public static var evicting: [Self] { [.recordCount, .evict, .noteUses, .flush] }

        /// The operations of a `ListingRecordStore` beside those of every store.
        public static var listing: [Self] { [.recordPage, .peekRecord] }
    }

    /// A call of an operation, for a script to decide about.
    public struct Call: Sendable {
        /// The operation that the store is asked for.
        public let operation: Operation
        /// The keys concerned: one, those of an operation on several records in the order in which they are given, or none.
        public let keys: [RecordKey]
        /// The tags concerned.
        public let tags: Set<String>
        /// The partition concerned, if the operation is about one.
        public let partition: String?
        /// 1 for the first call of this operation since the store was created, and so on.
        public let number: Int

        /// The key concerned, if there is exactly one.
        public var key: RecordKey? { keys.count == 1 ? keys[0] : nil }
        /// The tag concerned, if there is exactly one.
        public var tag: String? { tags.count == 1 ? tags.first : nil }
    }

    /// The course of a call, in this order: wait at a gate, wait for a while, fail, do the work, wait at a gate, wait for a while, fail.
    ///
    /// ```swift
    /// // The second write waits, and then fails.
    /// let gate = Gate()
    /// store.setScript { call in
    ///     call.operation == .insert && call.number == 2 ? .init(gate: gate, error: StoreError(.full, "The disk is full.")) : .pass
    /// }
    /// ```
    public struct Behavior: Sendable {
        /// Where the call waits before anything is done.
        public var gate: Gate?
        /// How long it waits then, by the store's ticker. A call whose task is cancelled waits no longer.
        public var delay: Duration
        /// Thrown instead of doing the work.
        public var error: StoreError?
        /// Thrown by a call for several records when ``partialCount`` of them have been done. Calls for one record are not concerned.
        public var partialError: StoreError?
        /// The number of records that are done before ``partialError`` is thrown.
        public var partialCount: Int
        /// Where the call waits when the work has been done.
        public var gateAfterwards: Gate?
        /// How long it waits then, as ``delay`` does.
        public var delayAfterwards: Duration
        /// Thrown when the work has been done, as when an answer is lost.
        public var errorAfterwards: StoreError?

        /// Creates a behavior; by default the call passes.
        public init(
            gate: Gate? = nil,
            delay: Duration = .zero,
            error: StoreError? = nil,
            partialError: StoreError? = nil,
            partialCount: Int = 0,
            gateAfterwards: Gate? = nil,
            delayAfterwards: Duration = .zero,
            errorAfterwards: StoreError? = nil
        ) {
            self.gate = gate
            self.delay = delay
            self.error = error
            self.partialError = partialError
            self.partialCount = partialCount
            self.gateAfterwards = gateAfterwards
            self.delayAfterwards = delayAfterwards
            self.errorAfterwards = errorAfterwards
        }

        /// The wrapped store does the work.
        public static var pass: Self { .init() }

        /// The work is not done.
        public static func fail(_ error: StoreError) -> Self { .init(error: error) }
    }
}

extension Duration {
    /// Lets this time pass on the ticker; less when the task is cancelled.
    func wait(on ticker: any Ticker) async {
        guard self > .zero else { return }
        let (deadline, overflowed) = ticker.nanoseconds().addingReportingOverflow(saturatingNanoseconds)
        try? await ticker.sleep(until: overflowed ? .max : deadline)
    }
}
