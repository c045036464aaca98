// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The random numbers that Hoard draws by itself: secrets of hashes, names of stored records, jitter.
///
/// They come from the system. A test that must run in the same way twice binds a source of its own to ``source``. Code that
/// is called inside, directly or in a task that is started there, draws from that source.
package struct RandomNumbers: RandomNumberGenerator, Sendable {
    /// Where the numbers come from. `nil`: the system.
    ///
    /// An object, as a closure as a task-local value makes optimised programs crash (Swift 6.3).
    @TaskLocal package static var source: (any RandomNumberSource)?

    package init() {}

    package func next() -> UInt64 { Self.draw() }

    /// One of 2⁶⁴ equally likely numbers.
    package static func draw() -> UInt64 {
        if let source { return source.next() }
        var system = SystemRandomNumberGenerator()
        return system.next()
    }

    /// From 0 to 1, without 1.
    @Sendable static func fraction() -> Double {
        var numbers = RandomNumbers()
        return .random(in: 0..<1, using: &numbers)
    }
}

/// Gives random numbers to many tasks at once.
package protocol RandomNumberSource: Sendable {
    func next() -> UInt64
}
