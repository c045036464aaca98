// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Testing

@Suite struct MemoryPressureTests {
    private let levels = [MemoryPressure.normal, .warning, .critical]

    @Test func levelsAreOrderedBySeverity() {
        for (left, leftLevel) in levels.enumerated() {
            for (right, rightLevel) in levels.enumerated() {
                #expect((leftLevel < rightLevel) == (left < right))
                #expect((leftLevel >= rightLevel) == (left >= right))
                #expect((leftLevel == rightLevel) == (left == right))
            }
        }
    }

    @Test func levelsAreDescribedByTheirNames() {
        #expect(levels.map(\.description) == ["normal", "warning", "critical"])
    }

    @Test func levelsCanBeMembersOfSets() {
        #expect(Set(levels + levels).count == 3)
    }
}
