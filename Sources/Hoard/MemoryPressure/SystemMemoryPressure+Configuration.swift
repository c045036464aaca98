// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension SystemMemoryPressure {
    /// The polling interval on Linux, and the readings at which levels begin. All shares are between 0 and 1.
    ///
    /// A level begins as soon as one of its two thresholds is reached. A share above 1 switches a threshold off.
    public struct Configuration: Hashable, Sendable {
        /// The time between two readings. Default: one second.
        ///
        /// The stall shares are averages over ten seconds that the kernel computes every two, so looking more often finds only growing
        /// usage sooner.
        public var pollingInterval: Duration

        /// ``MemoryPressure/warning`` begins when *some* task stood still for memory for this share of the last ten seconds. Default: 0.1.
        ///
        /// A healthy machine shows well below 1 %, also while it reclaims its page cache. At 10 % requests are noticeably
        /// slower, which costs more than the misses of a smaller cache.
        public var warningStallShare: Double

        /// ``MemoryPressure/critical`` begins when *all* tasks stood still for memory at the same time for this share of the last
        /// ten seconds. Default: 0.1.
        ///
        /// One second in ten is then lost to all tasks. The default is far below the point where user-space killers step in
        /// (`systemd-oomd` ends groups at 60 % by default), so there is time to give memory back before.
        public var criticalStallShare: Double

        /// ``MemoryPressure/warning`` begins when a control group uses this share of its limit. Default: 0.9.
        ///
        /// Use is counted without the page cache that the kernel would give up first, as Kubernetes counts a container's working set. A group whose
        /// processes read large files always fills its limit with it, and takes no harm.
        public var warningUsageShare: Double

        /// ``MemoryPressure/critical`` begins when a control group uses this share of its limit. Default: 0.97.
        ///
        /// The rest is a few megabytes in a small container, which is then one large request away from being throttled
        /// (`memory.high`) or killed (`memory.max`). At 100 % it would be too late, for the kernel does not wait for a poll.
        public var criticalUsageShare: Double

        /// Creates a configuration.
        public init(
            pollingInterval: Duration = .seconds(1),
            warningStallShare: Double = 0.1,
            criticalStallShare: Double = 0.1,
            warningUsageShare: Double = 0.9,
            criticalUsageShare: Double = 0.97
        ) {
            self.pollingInterval = pollingInterval
            self.warningStallShare = warningStallShare
            self.criticalStallShare = criticalStallShare
            self.warningUsageShare = warningUsageShare
            self.criticalUsageShare = criticalUsageShare
        }

        /// Stops the program if it would look without a pause.
        func check() {
            precondition(pollingInterval > .zero, "The polling interval must be longer than no time.")
        }
    }
}
