// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

@testable import Hoard
@testable import HoardSimulator

/// A request for an object with a size.
struct SizedRequest {
    let key: Int
    let size: Int
}

/// The hits of a policy, and their bytes.
struct SizedHits {
    var objects = 0
    var bytes = 0

    mutating func note(_ request: SizedRequest) {
        objects += 1
        bytes += request.size
    }
}

/// The plain way to keep what has the highest priority: LRU and GDSF (Cherkasova, "Improving WWW Proxies Performance with Greedy-Dual-Size-Frequency
/// Caching Policy", HP Laboratories, 1998).
enum SizedModel: CaseIterable {
    case lru, gdsf

    private struct Entry {
        var priority: Double
        var uses: Int
        let size: Int
    }

    func hits(of requests: [SizedRequest], capacity: Int) -> SizedHits {
        var (hits, entries, queue) = (SizedHits(), [Int: Entry](), PriorityQueue())
        var (used, age) = (0, 0.0)
        for (time, request) in requests.enumerated() {
            let old = entries[request.key]
            if old != nil {
                hits.note(request)
            } else {
                guard request.size <= capacity else { continue }
                while used + request.size > capacity, let (priority, key) = queue.removeFirst() {
                    // A place in the queue that a later use has made void.
                    guard let entry = entries[key], entry.priority == priority else { continue }
                    age = priority
                    used -= entry.size
                    entries[key] = nil
                }
                used += request.size
            }
            let (uses, size) = ((old?.uses ?? 0) + 1, old?.size ?? request.size)
            let priority = self == .lru ? Double(time) : age + Double(uses) / Double(size)
            entries[request.key] = Entry(priority: priority, uses: uses, size: size)
            queue.insert((priority, request.key))
        }
        return hits
    }
}

/// A binary heap, the least first.
private struct PriorityQueue {
    private var heap: [(priority: Double, key: Int)] = []

    mutating func insert(_ element: (Double, Int)) {
        heap.append(element)
        var place = heap.count - 1
        while place > 0, heap[(place - 1) / 2].priority > heap[place].priority {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func removeFirst() -> (priority: Double, key: Int)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var place = 0
        while let child = [place * 2 + 1, place * 2 + 2].filter({ $0 < heap.count }).min(by: { heap[$0].priority < heap[$1].priority }),
            heap[child].priority < heap[place].priority
        {
            heap.swapAt(place, child)
            place = child
        }
        return first
    }
}

/// The hits of Hoard's cache: the mean of five caches, whose hash secrets are fixed, because hits depend on them by some points.
func hits(of requests: [SizedRequest], capacity: Int, favouring goal: HitGoal) -> SizedHits {
    let seeds = UInt64(0)..<5
    var sum = SizedHits()
    for seed in seeds {
        let configuration = Cache<Int, Int>.Configuration(maximumWeight: capacity, favouring: goal)
        let cache = Cache<Int, Int>(configuration: configuration, ticker: MonotonicTicker(), hasher: .fixed(seed))
        for request in requests {
            if cache.value(forKey: request.key) != nil { sum.note(request) } else { cache.insert(0, forKey: request.key, weight: request.size) }
        }
    }
    return SizedHits(objects: sum.objects / seeds.count, bytes: sum.bytes / seeds.count)
}
