// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The GCM nonces of one process for one key: 8 random bytes, drawn when the first nonce is asked for, and a counter of 4 bytes.
///
/// GCM loses all protection of two texts that share a key and a nonce. With 12 random bytes each, a key would have to be replaced after 2³² texts,
/// because two nonces are then equal with a probability of 2⁻³³ (NIST SP 800-38D, 8.3, allows 2⁻³²). A cache that writes 10,000 records a second gets
/// there in five days. Here only the random parts can meet: 2¹⁶ of them, each good for 2³² texts, collide with a probability of 2⁻³³. A nonce also
/// costs no call to the system.
///
/// A class, because copies of a cipher must share the counter. A process made by `fork` without `exec`, or a virtual machine
/// that is resumed twice from one snapshot, would repeat nonces: open the store after the fork.
final class NonceSequence: Sendable {
    private struct State {
        var random: UInt64 = 0
        var counter: UInt32 = 0
        /// Whether the next nonce needs another random part.
        var isUsedUp = true
    }

    private let state: Mutex<State>
    private let makeRandom: @Sendable () -> UInt64
    private let firstCounter: UInt32

    /// - Parameters:
    ///   - firstCounter: Where to begin to count after each random part. Tests begin close to the end.
    ///   - makeRandom: Gives 8 unpredictable random bytes.
    init(firstCounter: UInt32 = 0, makeRandom: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }) {
        self.firstCounter = firstCounter
        self.makeRandom = makeRandom
        state = Mutex(State())
    }

    /// A nonce that has not been returned before.
    func next() -> (random: UInt64, counter: UInt32) {
        state.withLock { state in
            if state.isUsedUp {
                state.random = makeRandom()
                state.counter = firstCounter
                state.isUsedUp = false
            }
            let nonce = (state.random, state.counter)
            if state.counter == .max {
                state.isUsedUp = true
            } else {
                state.counter += 1
            }
            return nonce
        }
    }
}
