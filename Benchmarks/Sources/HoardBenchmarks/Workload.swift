// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// What the threads do with a subject.
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

    /// Operations of all threads together in one round.
    func operations(quick: Bool) -> Int {
        let full = self == .getHit || self == .readThrough ? 2_000_000 : 1_000_000
        return quick ? full / 10 : full
    }
}

/// The keys that each thread walks through, made before the clock starts.
///
/// Every thread has strings of its own: they equal the keys in the cache but are other objects, as keys that come in with requests are,
/// and no two threads count references to the same one.
struct AccessSequence<Key: BenchmarkKey>: Sendable {
    let keysOfThread: [[Key]]

    init(zipf: ZipfDistribution, population: Int, threads: Int, length: Int) {
        keysOfThread = (0..<threads).map { thread in
            let numbers = zipf.sequence(length: length / threads, seed: UInt64(thread + 1))
            // One object for each different key, made when it is first met.
            var known = [Key?](repeating: nil, count: population)
            return numbers.map { number in
                if let key = known[number] { return key }
                let key = Key(number: number)
                known[number] = key
                return key
            }
        }
    }

    /// Keys from `first` on, each once.
    init(allNewFrom first: Int, threads: Int, length: Int) {
        let share = length / threads
        keysOfThread = (0..<threads).map { thread in
            let start = first + thread * share
            return (start..<(start + share)).map { Key(number: $0) }
        }
    }
}
