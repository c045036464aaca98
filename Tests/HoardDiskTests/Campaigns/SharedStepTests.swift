// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HoardDiskTorture

@Suite struct SharedStepTests {
    @Test func aReadMustFindAVersionBetweenTheTwo() {
        #expect(SharedStep.allows(.version(4), from: 4, through: 6, mayLose: false))
        #expect(SharedStep.allows(.version(6), from: 4, through: 6, mayLose: false))
        #expect(!SharedStep.allows(.version(2), from: 4, through: 6, mayLose: true))
        #expect(!SharedStep.allows(.version(8), from: 4, through: 6, mayLose: true))
        #expect(!SharedStep.allows(.version(4), from: 6, through: 4, mayLose: true))
    }

    @Test func aRemovalIsNoVersion() {
        #expect(!SharedStep.allows(.version(3), from: 1, through: 8, mayLose: true))
        #expect(!SharedStep.allows(.version(7), from: 1, through: 8, mayLose: true))
        #expect(!SharedStep.allows(.version(0), from: 0, through: 8, mayLose: true))
    }

    @Test func nothingIsFoundAroundRemovalsOnly() {
        #expect(SharedStep.allows(.nothing, from: 0, through: 0, mayLose: false))
        #expect(SharedStep.allows(.nothing, from: 0, through: 1, mayLose: false))
        #expect(!SharedStep.allows(.nothing, from: 1, through: 2, mayLose: false))
        #expect(SharedStep.allows(.nothing, from: 1, through: 3, mayLose: false))
        #expect(SharedStep.allows(.nothing, from: 7, through: 7, mayLose: false))
        #expect(!SharedStep.allows(.nothing, from: 4, through: 6, mayLose: false))
        #expect(SharedStep.allows(.nothing, from: 4, through: 6, mayLose: true))
        #expect(SharedStep.allows(.nothing, from: 4, through: .max, mayLose: false))
    }

    @Test func bothProcessesSeeOneProgress() throws {
        let path = NSTemporaryDirectory() + "hoard-progress-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let first = try SharedProgress(path, keyCount: 4)
        let second = try SharedProgress(path, keyCount: 4)
        first.intend(5, key: 3)
        first.acknowledge(4, key: 3)
        second.intend(1, key: 0)
        #expect(second.intended(3) == 5)
        #expect(second.acknowledged(3) == 4)
        #expect(first.intended(0) == 1)
        #expect(first.acknowledged(0) == 0)
    }
}
