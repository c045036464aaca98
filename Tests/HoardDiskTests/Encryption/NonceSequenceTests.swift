// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardDisk

@Suite struct NonceSequenceTests {
    private struct Nonce: Hashable {
        var random: UInt64
        var counter: UInt32
    }

    private func draw(_ count: Int, from nonces: NonceSequence) -> [Nonce] {
        (0..<count).map { _ in nonces.next() }.map { Nonce(random: $0.random, counter: $0.counter) }
    }

    /// Makes a sequence that gets 100, 101, 102 and so on instead of random numbers.
    private func makeSequence(firstCounter: UInt32 = 0) -> NonceSequence {
        let draws = Counter()
        return NonceSequence(firstCounter: firstCounter) { 99 + UInt64(draws.increment()) }
    }

    @Test func theCounterGoesUpUnderOneRandomPart() {
        let expected = [Nonce(random: 100, counter: 0), Nonce(random: 100, counter: 1), Nonce(random: 100, counter: 2)]
        #expect(draw(3, from: makeSequence()) == expected)
    }

    @Test func afterTheLastCounterComesAnotherRandomPart() {
        let drawn = draw(5, from: makeSequence(firstCounter: .max - 1))
        #expect(drawn.map(\.random) == [100, 100, 101, 101, 102])
        let last = UInt32.max
        let counters: [UInt32] = [last - 1, last, last - 1, last, last - 1]
        #expect(drawn.map(\.counter) == counters)
    }

    @Test func nothingRandomIsDrawnBeforeTheFirstNonce() {
        let draws = Counter()
        let nonces = NonceSequence { UInt64(draws.increment()) }
        #expect(draws.value == 0)
        _ = nonces.next()
        #expect(draws.value == 1)
    }

    @Test func twoSequencesHaveTheirOwnRandomParts() {
        #expect(NonceSequence().next().random != NonceSequence().next().random)
    }

    @Test func threadsNeverGetTheSameNonce() async {
        // The counter starts close to its end, so that the threads pass the change of the random part.
        let nonces = makeSequence(firstCounter: .max - 99)
        let drawn = await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { draw(1000, from: nonces) }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(drawn).count == 8000)
        #expect(Set(drawn.map(\.random)).count == 80)
    }
}
