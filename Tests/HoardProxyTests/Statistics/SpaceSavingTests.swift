// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardProxy

@Suite("SpaceSaving and LargestEntries")
struct SpaceSavingTests {
    @Test func countsAreNeverTooLowAndCertainOnesNeverTooHigh() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var summary = SpaceSaving(capacity: 32)
        var exact: [UInt64: Int] = [:]
        var total = 0
        for _ in 0..<20_000 {
            // Squared, so that small keys are more frequent.
            let root = Double.random(in: 0..<1, using: &generator)
            let key = UInt64(root * root * root * 500)
            let weight = Int.random(in: 1...3, using: &generator)
            summary.add(key, requests: weight, bytes: weight * 10) { "/\(key)" }
            exact[key, default: 0] += weight
            total += weight
        }
        #expect(summary.counters.count == 32)
        #expect(summary.counters.reduce(0) { $0 + $1.requests } == total)
        for (hash, counter) in zip(summary.hashes, summary.counters) {
            #expect(counter.uri == "/\(hash)")
            #expect(counter.requests >= exact[hash, default: 0], "seed \(seed)")
            #expect(counter.certainRequests <= exact[hash, default: 0], "seed \(seed)")
            #expect(counter.bytes == counter.certainRequests * 10)
        }
        for (key, count) in exact where count > total / 32 { #expect(summary.hashes.contains(key), "seed \(seed)") }
    }

    @Test func fewURLsAreCountedExactly() {
        var summary = SpaceSaving(capacity: 4)
        var written = 0
        for key in [1, 2, 1, 1, 3, 2] as [UInt64] {
            summary.add(key, requests: 1, bytes: 5) {
                written += 1
                return "/\(key)"
            }
        }
        #expect(written == 3)
        #expect(Dictionary(uniqueKeysWithValues: zip(summary.hashes, summary.counters.map(\.certainRequests))) == [1: 3, 2: 2, 3: 1])
    }

    @Test func theLargestObjectsAreKeptEachOnce() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var largest = LargestEntries(capacity: 8)
        let sizes = (0..<300).map { _ in Int.random(in: 1...1_000_000, using: &generator) }
        for _ in 0..<2_000 {
            let key = Int.random(in: 0..<300, using: &generator)
            largest.add(UInt64(key), bytes: sizes[key]) { "/\(key)" }
        }
        for (key, size) in sizes.enumerated() { largest.add(UInt64(key), bytes: size) { "/\(key)" } }
        #expect(largest.entries.map(\.bytes).sorted() == sizes.sorted().suffix(8), "seed \(seed)")
        #expect(Set(largest.entries.map(\.hash)).count == 8)
        #expect(largest.least == largest.entries.map(\.bytes).min())
    }
}
