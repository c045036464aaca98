// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// Completes the requests of live traffic as ``RequestCompleter`` does those of a trace, with bounded memory.
///
/// It knows a number of keys, and forgets the one that was removed, or else the one that was not used for longest, when another comes. All caches have a forgotten key removed, and
/// its number goes to the new one. An LRU cache of no more keys than that has evicted such a key already; another
/// policy loses keys that were not asked for while as many others were.
///
/// About 120 bytes for each key.
struct KeyDirectory: Sendable {
    private let maximumCount: Int
    private var slots = KeySlots()
    /// One list, the last use first.
    private var uses = SlotLists<UnitSizes>(count: 1)
    /// The last known parts of each key, by its slot.
    private var known: [AccessRequest] = []

    init(maximumCount: Int) {
        self.maximumCount = max(1, maximumCount)
    }

    /// The requests with the known facts of their keys, and with the removals of keys that are forgotten. O(1) for
    /// each, but for a removal of everything.
    mutating func complete(_ requests: [AccessRequest]) -> RequestBatch {
        var batch = RequestBatch([])
        batch.parts = .changes
        batch.requests.reserveCapacity(requests.count)
        batch.keyNumbers.reserveCapacity(requests.count)
        for request in requests {
            if request.kind == .removal, request.key == TraceEvent.everything {
                for slot in known.indices { batch.append(known[slot].removal(at: request.time), slot) }
            } else {
                append(request, to: &batch)
            }
        }
        return batch
    }

    private mutating func append(_ request: AccessRequest, to batch: inout RequestBatch) {
        if let slot = slots.slot(of: request.key) {
            var request = request
            request.size = request.size ?? known[slot].size
            request.cost = request.cost ?? known[slot].cost
            request.lifetime = request.lifetime ?? known[slot].lifetime
            known[slot] = request
            noteUse(of: slot, by: request.kind)
            batch.append(request, slot)
        } else if request.kind == .uncacheable {
            // No cache looks at the number.
            batch.append(request, 0)
        } else if request.kind != .removal {
            if slots.count == maximumCount, let oldest = uses.last(0) { batch.append(known[oldest].removal(at: request.time), oldest) }
            batch.append(request, insert(request))
        }
    }

    /// The same that it is for an LRU cache.
    private mutating func noteUse(of slot: Int, by kind: AccessRequest.Kind) {
        switch kind.base {
        case .read, .write: uses.moveToFirst(slot, of: 0)
        case .removal:
            uses.remove(slot)
            uses.append(slot, to: 0)
        case .uncacheable: break
        }
    }

    /// - Returns: The slot of a new key, perhaps that of the key that is forgotten.
    private mutating func insert(_ request: AccessRequest) -> Int {
        guard slots.count == maximumCount, let oldest = uses.last(0) else {
            let slot = slots.insert(request.key)
            known.append(request)
            uses.prepend(slot, to: 0)
            return slot
        }
        slots.replaceKey(in: oldest, with: request.key)
        known[oldest] = request
        uses.moveToFirst(oldest, of: 0)
        return oldest
    }
}

extension RequestBatch {
    fileprivate mutating func append(_ request: AccessRequest, _ number: Int) {
        requests.append(request)
        keyNumbers.append(UInt32(number))
    }
}

extension AccessRequest {
    fileprivate func removal(at time: UInt64?) -> AccessRequest { AccessRequest(key: key, time: time, kind: .removal) }
}
