// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation
internal import Hoard

/// All operations at once on caches of objects, in a release build: only there the optimiser changes the code of
/// a lock. See Benchmarks/README.md.
@main
enum CacheStorm {
    static func main() {
        guard !isDebugBuild else { fail("A debug build does not show what the optimiser does. Run it with -c release.") }
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()), flags: [], valued: ["--seconds"])
            let seconds = try options.count("--seconds") ?? 5
            for storm in storms { storm.rage(seconds: seconds) }
        } catch {
            fail(String(describing: error))
        }
    }

    private static var storms: [Storm] {
        [
            Storm("many shards", Cache(maximumCount: 50_000), keys: 100_000),
            Storm("one shard", Cache(maximumCount: 100), keys: 300),
            Storm("limited by weight", Cache(maximumWeight: 500) { key, _ in key % 5 }, keys: 1_000),
            Storm("expiring after access", Cache(maximumCount: 5_000, expiration: .afterAccess(.milliseconds(1))), keys: 10_000),
            Storm(
                "expiring after write, with a listener",
                Cache(
                    configuration: .init(maximumCount: 5_000, expiration: .afterWrite(.microseconds(300))) { key, witness, _ in
                        witness.verify(key)
                    }
                ),
                keys: 10_000
            ),
        ]
    }
}

/// A value that knows its key. A value that was released too early no longer knows it, or crashes.
final class Witness: Sendable {
    private let key: Int
    private let copies: [Int]

    init(_ key: Int) {
        self.key = key
        copies = [key, key]
    }

    func verify(_ expected: Int) {
        if key != expected || copies != [expected, expected] { fail("The value of key \(expected) is that of \(key), or has been released.") }
    }
}

extension Cache.Configuration where Key == Int, Value == Witness {
    fileprivate init(maximumCount: Int, expiration: Expiration, listener: @escaping @Sendable (Int, Witness, RemovalCause) -> Void) {
        self.init(maximumCount: maximumCount, expiration: expiration, removalListener: listener)
    }
}

/// Six threads that read, write and remove at random.
private struct Storm {
    let name: String
    let cache: Cache<Int, Witness>
    let keys: Int

    init(_ name: String, _ cache: Cache<Int, Witness>, keys: Int) {
        self.name = name
        self.cache = cache
        self.keys = keys
    }

    func rage(seconds: Int) {
        let end = monotonicNanoseconds() + Int64(seconds) * 1_000_000_000
        let (counts, _) = onThreads(6) { [cache, keys] thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            var count = 0
            while count % 1_024 != 0 || monotonicNanoseconds() < end {
                Self.step(cache, key: Int.random(in: 0..<keys, using: &generator), using: &generator)
                count += 1
            }
            return count
        }
        print("\(name): \(counts.reduce(0, +)) operations, \(cache.count) entries left, hit ratio \(cache.statistics.hitRatio)")
    }

    private static func step(_ cache: Cache<Int, Witness>, key: Int, using generator: inout SeededGenerator) {
        switch Int.random(in: 0..<10_000, using: &generator) {
        case 0..<6_000: cache.value(forKey: key)?.verify(key)
        case 6_000..<9_000: cache.insert(Witness(key), forKey: key)
        case 9_000..<9_300:
            let lifetime = Duration.microseconds(Int.random(in: 0..<1_000, using: &generator))
            cache.insert(Witness(key), forKey: key, weight: key % 4, expiresAfter: lifetime, tags: ["\(key % 8)"])
        case 9_300..<9_700: cache.removeValue(forKey: key)?.verify(key)
        case 9_700..<9_900: cache.peek(key)?.verify(key)
        case 9_900..<9_950: cache.removeExpired()
        case 9_950..<9_980: cache.removeValues(taggedWith: "\(key % 8)")
        case 9_980..<9_990: cache.trim(toFraction: 0.9)
        case 9_990..<9_999: _ = cache.explain(key)
        default: cache.removeAll()
        }
    }
}

private func fail(_ sentence: String) -> Never {
    FileHandle.standardError.write(Data("cache-storm: \(sentence)\n".utf8))
    exit(2)
}
