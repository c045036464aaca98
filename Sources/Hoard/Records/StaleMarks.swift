// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// When the freshness of a group of records has been ended, in the order of the store's writes. For stores that judge a record when it is read.
///
/// A mark ends the freshness of the records that were written before it, at its date, whatever their own dates say. A record of a later write is not
/// concerned. Marks of which another one says more are dropped. Beyond ``maximumCount`` the two oldest marks become one, which covers the records of
/// both and has the earlier of their dates. Some records then count as stale since an earlier date than their own, and none is fresh again.
package struct StaleMarks: Sendable, Hashable {
    /// One mark.
    package struct Mark: Sendable, Hashable {
        /// The last write that the mark concerns, counted as the store counts them.
        package let sequence: Int64
        /// When the freshness ends.
        package let date: Date

        /// - Parameter date: One that is not a number is taken to be long ago.
        package init(sequence: Int64, date: Date) {
            self.sequence = sequence
            self.date = date.timeIntervalSinceReferenceDate.isNaN ? .distantPast : date
        }
    }

    /// The number of marks that are kept.
    package static var maximumCount: Int { 32 }

    /// In ascending order of both sequence and date.
    package private(set) var marks: [Mark] = []

    package init() {}

    package var isEmpty: Bool { marks.isEmpty }

    /// Adds a mark. In any order, and as often as one likes. O(number of marks).
    package mutating func add(_ mark: Mark) {
        if let said = freshnessEnd(forSequence: mark.sequence), said <= mark.date { return }
        marks.removeAll { $0.sequence <= mark.sequence && $0.date >= mark.date }
        marks.insert(mark, at: marks.firstIndex { $0.sequence > mark.sequence } ?? marks.endIndex)
        guard marks.count > Self.maximumCount else { return }
        marks.replaceSubrange(0..<2, with: CollectionOfOne(Mark(sequence: marks[1].sequence, date: marks[0].date)))
    }

    /// When a record that was written at `sequence` has ceased to be fresh; `nil` if no mark concerns it. O(number of marks).
    package func freshnessEnd(forSequence sequence: Int64) -> Date? {
        marks.first { $0.sequence >= sequence }?.date
    }
}
