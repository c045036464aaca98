// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting

/// A short program on a cache over a slow store. The deadline of the store's calls passes
/// before one job of the executor.
struct DeadlineProgram: Sendable, CustomStringConvertible {
    /// The change during which the deadline may pass.
    enum Change: String, Sendable, CaseIterable {
        case write, writeBehind, writeOfSeveral
        case removal, removalOfSeveral, removalByTag, removalOfPartition, removalOfEverything
        case mark, markByTag, markOfEverything
    }

    /// The work beside the change, apart from a read.
    enum Setting: String, Sendable, CaseIterable {
        case nothingElse
        /// A write of the same key is under way.
        case anotherWrite
        /// The store has failed to make the change, and makes it good afterwards.
        case outage
    }

    let change: Change
    let setting: Setting
    let seed: UInt64
    /// The number of the job, which is 1 for the first.
    let job: Int

    /// The time that the store takes before and after its work. It always works in time, unless time jumps.
    let slowness: FaultyStore.Behavior
    /// The length of the jump: to the deadline of a call that has just begun, or far beyond it.
    let jump: Duration
    let hasMemory: Bool
    let isNamed: Bool

    static let deadline = Duration.seconds(1)

    init(_ change: Change, _ setting: Setting, seed: UInt64, job: Int) {
        self.change = change
        self.setting = setting
        self.seed = seed
        self.job = job
        var generator = SeededGenerator(seed: seed)
        let slownesses: [(before: Double, after: Double)] = [(0.4, 0.4), (0.9, 0), (0, 0.9)]
        let chosen = slownesses[Int.random(in: 0..<slownesses.count, using: &generator)]
        slowness = .init(delay: Self.deadline * chosen.before, delayAfterwards: Self.deadline * chosen.after)
        jump = Self.deadline * (Bool.random(using: &generator) ? 1 : 3)
        hasMemory = Bool.random(using: &generator)
        isNamed = Bool.random(using: &generator)
    }

    var description: String {
        """
        seed \(seed), job \(job): \(change), with \(setting); the store takes \(slowness.delay) and \(slowness.delayAfterwards), time jumps by \(jump), \
        \(hasMemory ? "with" : "without") memory, \(isNamed ? "with" : "without") a name
        """
    }
}
