// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// How one prefetch is done.
public struct PrefetchOptions: Sendable {
    /// The time for which the screen is kept in memory for the fetch that is expected, whatever the response says of its lifetime. Default: 60 seconds.
    public var keepsFor: Duration
    /// The longest response; a longer one is given up. `nil`: that of ``ViewClient/Configuration/maximumResponseBytes``. Default: `nil`.
    public var maximumResponseBytes: Int?
    /// Whether it is done also when data should be saved: see ``PrefetchLimits/savesData``. Default: `false`.
    public var ignoresDataSaving: Bool
    /// The priority of its task. A fetch that joins raises it to its own. Default: `.utility`.
    public var priority: TaskPriority

    /// Creates options.
    public init(
        keepsFor: Duration = .seconds(60),
        maximumResponseBytes: Int? = nil,
        ignoresDataSaving: Bool = false,
        priority: TaskPriority = .utility
    ) {
        self.keepsFor = keepsFor
        self.maximumResponseBytes = maximumResponseBytes
        self.ignoresDataSaving = ignoresDataSaving
        self.priority = priority
    }
}

/// How much a client prefetches, all prefetches together.
public struct PrefetchLimits: Sendable {
    /// The most prefetches that are under way or wait for their turn; those beyond are skipped. Also the most screens that are kept
    /// for fetches that are expected; the oldest go. Default: 256.
    public var maximumCount = 256
    /// The most bytes of screens that are kept for fetches that are expected; the oldest go. Default: 8 MiB.
    public var maximumBytes = 8 << 20
    /// The most prefetches that send requests at the same time; the others wait. One that a fetch joins does not count, and waits no more. Default: 4.
    public var maximumConcurrency = 4
    /// Asked before each prefetch whether data should be saved, as in a network's low-data mode. If so, it is skipped. Default: never.
    public var savesData: @Sendable () -> Bool = { false }

    /// Creates limits with the defaults; change the properties afterwards.
    public init() {}
}
