// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// Chooses the tuning of a cache while it runs.
///
/// No fixed window is right: recency decides some workloads, frequency others. Seven ``ShadowCache``s, whose tunings reach from a window of 1 % to
/// LRU's order, are fed with a sample of the accesses, and the best one's tuning becomes the cache's. ``State`` says when one is better.
///
/// The sample comes from one shard, the first that is full: a share of its keys, chosen by hash. Samples wait in the shard's buffer until there are 32. If they came from
/// all shards, 64 buffers would hold more accesses than a shadow holds keys, and shadows that are fed out of order find every key
/// too soon. The other shards pay nothing.
///
/// Runs on the threads that use the cache, but never under a shard's lock and only once for many accesses.
/// Memory: the shadows hold 7 × capacity × sampling rate hashes of about 34 bytes; about 1.3 bytes for each entry of a large cache.
@usableFromInline final class WindowTuner: Sendable {
    /// A sampled access: 31 bits of hash and, in the lowest bit, whether it was a hit.
    typealias Sample = UInt32

    static let candidates: [EvictionPolicy.Tuning] = [
        .init(windowShare: 0.01, placement: .atNewest),
        .init(windowShare: 0.10),
        .init(windowShare: 0.30, secondChance: .forEachUse),
        .init(windowShare: 0.70, secondChance: .forSecondUse),
        .init(windowShare: 0.90, secondChance: .forSecondUse),
        .init(windowShare: 0.95, secondChance: .once),
        .init(windowShare: 1, keepsOrder: true),
    ]
    @usableFromInline static var initialChoice: Int { 1 }

    /// The candidate in use. Shards read it when they evict.
    @usableFromInline let choice = Atomic<Int>(WindowTuner.initialChoice)
    private let state: Mutex<State?> = Mutex(nil)
    private let isWatching = Atomic(false)

    @usableFromInline init() {}

    /// The share of a shard's keys that is sampled, of 65,536.
    ///
    /// Of all keys it is a quarter in small caches, 256 keys in larger ones, and 1/180 at least; of one shard's it may be a half.
    static func sampleThreshold(forShardOf count: Int, shardCount: Int) -> UInt16 {
        let capacity = Double(max(1, count)) * Double(shardCount)
        let rate = min(0.25, max(256 / capacity, 1.0 / 180))
        return UInt16(min(0.5, rate * Double(shardCount)) * 65_536)
    }

    /// Whether the tuner is to watch the shard that asks. So it is for the first one only.
    func choosesToWatch() -> Bool {
        !isWatching.exchange(true, ordering: .relaxed)
    }

    /// Begins to watch a shard, or begins again, with the present choice.
    ///
    /// - Parameter contents: The shard's entries of its sample.
    func watch(_ contents: [SampledEntry]) {
        let choice = currentChoice
        state.withLock { $0 = State(contents, choice: choice) }
    }

    @usableFromInline func feed(_ buffer: SampleBuffer) {
        state.withLock { state in
            for number in 0..<buffer.count {
                guard let best = state?.access(buffer.samples[number]) else { continue }
                choice.store(best, ordering: .relaxed)
            }
        }
    }

    /// The number of the candidate in use.
    @inlinable var currentChoice: Int { choice.load(ordering: .relaxed) }
}

/// An entry of the shard that the ``WindowTuner`` watches.
struct SampledEntry: Sendable {
    var hash: UInt32
    var uses: Int
}

extension EvictionPolicy {
    /// The entries in the sample, the coldest first.
    func sample(of table: SlotTable, threshold: UInt16) -> [SampledEntry] {
        coldestFirst(in: table).compactMap { slot in
            let hash = table.hash(of: slot)
            guard UInt16(truncatingIfNeeded: hash) < threshold else { return nil }
            return SampledEntry(hash: hash, uses: Int(table.flags(of: slot).uses))
        }
    }
}
