// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Counts records by their uses, and finds the number of uses that about as many records have as there is room for.
struct UseThreshold: Sendable {
    /// More uses are not counted.
    static let maximum = 7

    /// For each number of uses, how many records have as many or more.
    private var populations = Array(repeating: 0, count: maximum + 1)
    /// The uses that make a record a hot one, from 1 to the maximum.
    private(set) var value = 2

    /// Counts a new record.
    mutating func add(uses: Int) {
        for level in 0...uses { populations[level] += 1 }
    }

    /// Counts a record no more.
    mutating func remove(uses: Int) {
        for level in 0...uses { populations[level] -= 1 }
    }

    /// Counts one use more of a record.
    ///
    /// - Returns: Its uses from now on.
    mutating func noteUse(after uses: Int) -> Int {
        guard uses < Self.maximum else { return uses }
        populations[uses + 1] += 1
        return uses + 1
    }

    /// Raises the threshold while more records than there is room for reach it, or else lowers it while fewer reach the one below.
    mutating func adjust(room: Int) {
        if populations[value] > room {
            while value < Self.maximum, populations[value] > room { value += 1 }
        } else {
            while value > 1, populations[value - 1] < room { value -= 1 }
        }
    }
}
