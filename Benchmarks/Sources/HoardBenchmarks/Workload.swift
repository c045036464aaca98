// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// The operations of the threads on a subject.
enum Workload: String, CaseIterable, Sendable {
    case getHit = "get-hit"
    case readThrough = "read-through"
    case insertEvict = "insert-evict"
    case mixed = "mixed-75-25"

    static let capacity = 100_000

    /// How many different keys there are. Insertion has no end of them.
    var population: Int {
        switch self {
        case .getHit: Self.capacity
        case .readThrough: 1_000_000
        case .mixed: 2 * Self.capacity
        case .insertEvict: Self.capacity
        }
    }

    var threadCounts: [Int] {
        self == .getHit ? [1, 2, 4, 8] : [1, 2]
    }

    /// The most operations of all threads together in one round.
    func operations(quick: Bool) -> Int {
        quick ? 100_000 : 1_000_000
    }

    /// Operations that bring the popular keys in before anything is measured.
    var warmUp: Int {
        self == .readThrough || self == .mixed ? 1_000_000 : 0
    }
}

/// The keys that each thread walks through, made before the clock starts.
///
/// Every thread has strings of its own: they equal the keys in the cache but are other objects, as keys that come in with requests are,
/// and no two threads count references to the same one.
struct AccessSequence<Key: BenchmarkKey>: Sendable {
    let keysOfThread: [[Key]]

    /// The number of keys of all threads together.
    var length: Int { keysOfThread.reduce(0) { $0 + $1.count } }

    /// - Parameter round: Every round has keys in another order, or other keys if the workload asks for new ones.
    init(of workload: Workload, zipf: ZipfDistribution, round: Int, threads: Int, length: Int) {
        let share = length / threads
        keysOfThread = (0..<threads).map { thread in
            if workload == .insertEvict {
                let start = workload.population + (round * threads + thread) * share
                return (start..<(start + share)).map { Key(number: $0) }
            }
            // One object for each different key, made when it is first met.
            var known: [Int: Key] = [:]
            return zipf.sequence(length: share, seed: UInt64(1 + (round + 1) * 100 + thread)).map { number in
                if let key = known[number] { return key }
                let key = Key(number: number)
                known[number] = key
                return key
            }
        }
    }

    private init(keysOfThread: [[Key]]) {
        self.keysOfThread = keysOfThread
    }

    /// The beginning of every thread's part, so that about `length` keys remain.
    func prefix(_ length: Int) -> Self {
        length >= self.length ? self : Self(keysOfThread: keysOfThread.map { Array($0.prefix(length / keysOfThread.count)) })
    }
}
