// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

extension FaultyStore {
    /// One of the things that a store does.
    public struct Operation: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String, Hashable, Sendable {
            case record, insert, removeRecord, removeTagged, removeAll, statistics, close
        }
        private let base: Base
        private init(_ base: Base) { self.base = base }

        /// `record(forKey:)`.
        public static var record: Self { .init(.record) }
        /// `insert(_:forKey:)`.
        public static var insert: Self { .init(.insert) }
        /// `removeRecord(forKey:)`.
        public static var removeRecord: Self { .init(.removeRecord) }
        /// `removeRecords(taggedWith:)`.
        public static var removeTagged: Self { .init(.removeTagged) }
        /// `removeAll()`.
        public static var removeAll: Self { .init(.removeAll) }
        /// `statistics()`.
        public static var statistics: Self { .init(.statistics) }
        /// `close()`, which is only counted.
        public static var close: Self { .init(.close) }

        /// The operations that can fail and wait: all but ``close``.
        public static var all: [Self] { [.record, .insert, .removeRecord, .removeTagged, .removeAll, .statistics] }

        public var description: String { base.rawValue }
    }

    /// A call of an operation, for a script to decide about.
    public struct Call: Sendable {
        /// What the store is asked to do.
        public let operation: Operation
        /// The key concerned, if the operation has one.
        public let key: RecordKey?
        /// The tag concerned, if the operation has one.
        public let tag: String?
        /// 1 for the first call of this operation since the store was created, and so on.
        public let number: Int
    }

    /// What happens to a call, in this order: wait at a gate, fail, do the work, wait at a gate, fail.
    ///
    /// ```swift
    /// // The second write of each run waits, and then fails.
    /// store.setScript { call in
    ///     call.operation == .insert && call.number == 2 ? .init(gate: gate, error: StoreError(.full, "The disk is full.")) : .pass
    /// }
    /// ```
    public struct Behavior: Sendable {
        /// Where the call waits before anything is done.
        public var gate: Gate?
        /// Thrown instead of doing the work.
        public var error: StoreError?
        /// Where the call waits when the work has been done.
        public var gateAfterwards: Gate?
        /// Thrown when the work has been done, as when an answer is lost.
        public var errorAfterwards: StoreError?

        /// Creates a behavior; by default the call passes.
        public init(gate: Gate? = nil, error: StoreError? = nil, gateAfterwards: Gate? = nil, errorAfterwards: StoreError? = nil) {
            self.gate = gate
            self.error = error
            self.gateAfterwards = gateAfterwards
            self.errorAfterwards = errorAfterwards
        }

        /// The wrapped store does the work.
        public static var pass: Self { .init() }

        /// The work is not done.
        public static func fail(_ error: StoreError) -> Self { .init(error: error) }
    }
}
