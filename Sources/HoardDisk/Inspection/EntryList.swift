// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The records of a listing in their order, known by their identifiers.
struct EntryList: Sendable {
    struct Entry: Sendable {
        let id: Int64
        /// The number that is compared first; in the order by key, the offset of the entry's key among all keys.
        let rank: Int64
        /// The latest stamp in the queue of eviction, or of a use that is still in memory.
        let stamp: Int64

        /// When the record was last read; `nil` if it was not since it was written.
        var lastUse: Date? { stamp & 1 == 1 ? RecordIndex.date(of: stamp) : nil }
    }

    let entries: [Entry]
}

extension EntryList {
    /// Gathers entries, from one thread after another.
    final class Builder: Sendable {
        fileprivate struct State {
            var entries: [Entry] = []
            /// In the order by key: the keys, one after another, each with its length in 4 bytes before it.
            var keys: [UInt8] = []
        }

        private let order: DiskStore.EntryOrder
        private let state = Mutex(State())

        init(order: DiskStore.EntryOrder) { self.order = order }

        /// - Parameter stamp: `nil` if the record is not in the queue of eviction.
        func append(_ id: Int64, _ header: RecordHeader, stamp: Int64?) {
            let stamp = stamp ?? Int64.min
            state.withLock { state in
                state.entries.append(Entry(id: id, rank: state.rank(header, order.property, stamp: stamp), stamp: stamp))
            }
        }

        /// The entries in their order. O(n log n). The gathered entries are gone then.
        func finish() -> EntryList {
            var state = state.withLock { exchange(&$0, with: State()) }
            if order.property == .key { state.sortByKey() } else { state.sort() }
            if order.isReversed { state.entries.reverse() }
            // A record that was written while the store was walked over may have come twice.
            var seen = IdentifierMap(minimumCapacity: state.entries.count)
            state.entries.removeAll { seen.updateValue(0, forIdentifier: $0.id) != nil }
            return EntryList(entries: state.entries)
        }
    }
}

extension EntryList.Builder.State {
    fileprivate mutating func rank(_ header: RecordHeader, _ property: DiskStore.EntryOrder.Property, stamp: Int64) -> Int64 {
        switch property {
        // A complement turns an order around, and unlike a negative it exists of every number.
        case .use: return ~stamp
        case .size: return ~Int64(header.payloadByteCount)
        case .age: return ~header.created.orderedBits
        case .expiry: return header.staleUntil?.orderedBits ?? .max
        case .key:
            defer {
                keys.append(integer: UInt32(truncatingIfNeeded: header.key.bytes.count))
                keys += header.key.bytes
            }
            return Int64(keys.count)
        }
    }

    fileprivate mutating func sort() {
        entries.sort { ($0.rank, ~$0.stamp, $0.id) < ($1.rank, ~$1.stamp, $1.id) }
    }

    fileprivate mutating func sortByKey() {
        keys.withUnsafeBytes { keys in
            func key(_ entry: EntryList.Entry) -> UnsafeRawBufferPointer {
                let start = Int(entry.rank)
                return UnsafeRawBufferPointer(rebasing: keys[(start + 4)...].prefix(Int(keys.integer(at: start, as: UInt32.self))))
            }
            entries.sort { key($0).precedes(key($1)) }
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func precedes(_ other: Self) -> Bool {
        let difference: Int32 =
            if let own = baseAddress, let others = other.baseAddress { memcmp(own, others, Swift.min(count, other.count)) } else { 0 }
        return difference == 0 ? count < other.count : difference < 0
    }
}

extension Date {
    /// A number that compares as the date does.
    fileprivate var orderedBits: Int64 {
        let bits = Int64(bitPattern: timeIntervalSinceReferenceDate.bitPattern)
        return bits < 0 ? bits ^ .max : bits
    }
}
