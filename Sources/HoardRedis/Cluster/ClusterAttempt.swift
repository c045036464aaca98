// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// How often and how long a command is tried.
struct ClusterAttempt: Sendable {
    /// How many other nodes a command is sent to at most, one after another.
    static let maximumRedirectionCount = 5
    private static let shortestWait: Int64 = 5_000_000
    private static let longestWait: Int64 = 200_000_000

    private let deadline: Int64
    private var redirectionCount = 0
    private var wait = ClusterAttempt.shortestWait

    /// In nanoseconds.
    init(now: Int64, timeout: Int64) {
        deadline = now.addingSaturated(timeout)
    }

    /// Whether the command may be sent to another node.
    mutating func mayRedirect() -> Bool {
        redirectionCount += 1
        return redirectionCount <= Self.maximumRedirectionCount
    }

    /// The time until which the next attempt waits: twice as long each time, of which up to half is left to chance. `nil` if there is no time for it.
    ///
    /// - Parameter random: From 0 to 1.
    mutating func nextAttempt(now: Int64, random: Double) -> Int64? {
        let time = now.addingSaturated(wait - Int64(Double(wait) / 2 * random))
        wait = min(2 * wait, Self.longestWait)
        return time < deadline ? time : nil
    }
}
