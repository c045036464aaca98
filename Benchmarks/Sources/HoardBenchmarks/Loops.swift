// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The counts of one thread.
struct LoopOutcome: Sendable {
    var gets = 0
    var hits = 0
    /// Depends on every value read, so that no read can be optimised away.
    var checksum = 0
}

// The measured loops. Each is compiled once for every subject (Scripts/specialisation checks that for Hoard's), and none calls
// a closure or an existential.

/// Reads every key.
@inline(never)
func getLoop<S: Subject>(_ subject: S, _ keys: [S.Key]) -> LoopOutcome {
    var outcome = LoopOutcome(gets: keys.count)
    for key in keys {
        if let value = subject.value(forKey: key) {
            outcome.hits += 1
            outcome.checksum &+= value.checksum
        }
    }
    return outcome
}

/// Reads every key, and inserts those it does not find.
@inline(never)
func readThroughLoop<S: Subject>(_ subject: S, _ keys: [S.Key]) -> LoopOutcome {
    var outcome = LoopOutcome(gets: keys.count)
    for key in keys {
        if let value = subject.value(forKey: key) {
            outcome.hits += 1
            outcome.checksum &+= value.checksum
        } else {
            subject.insert(S.Value(number: outcome.hits), forKey: key)
        }
    }
    return outcome
}

/// Inserts every key.
@inline(never)
func insertLoop<S: Subject>(_ subject: S, _ keys: [S.Key]) -> LoopOutcome {
    var number = 0
    for key in keys {
        subject.insert(S.Value(number: number), forKey: key)
        number &+= 1
    }
    return LoopOutcome(checksum: number)
}

/// Reads three keys, inserts the fourth, and so on.
@inline(never)
func mixedLoop<S: Subject>(_ subject: S, _ keys: [S.Key]) -> LoopOutcome {
    var outcome = LoopOutcome()
    var turn = 0
    for key in keys {
        turn &+= 1
        if turn & 3 == 0 {
            subject.insert(S.Value(number: turn), forKey: key)
        } else {
            outcome.gets += 1
            if let value = subject.value(forKey: key) {
                outcome.hits += 1
                outcome.checksum &+= value.checksum
            }
        }
    }
    return outcome
}
