// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The numbers that one look at the kernel's files has found. Those that could not be read are `nil` or absent.
package struct MemoryReadings: Hashable, Sendable {
    /// The shares, between 0 and 1, of the last ten seconds for which tasks stood still for memory.
    package struct Stall: Hashable, Sendable {
        /// At least one task stood still.
        package var some: Double?
        /// All tasks that had something to do stood still at the same time.
        package var full: Double?

        package init(some: Double? = nil, full: Double? = nil) {
            self.some = some
            self.full = full
        }
    }

    /// How much of its limit a control group uses. Groups without limit have no usage.
    package struct Usage: Hashable, Sendable {
        /// Bytes that the kernel cannot simply drop.
        package var workingSetBytes: UInt64
        /// The lower of `memory.high` and `memory.max`, in bytes.
        package var limitBytes: UInt64

        package init(workingSetBytes: UInt64, limitBytes: UInt64) {
            self.workingSetBytes = workingSetBytes
            self.limitBytes = limitBytes
        }

        /// - Parameter inactiveFileBytes: The part of `currentBytes` that is page cache without recent use.
        package init(currentBytes: UInt64, inactiveFileBytes: UInt64, limitBytes: UInt64) {
            // The two numbers are read one after the other, so the part can be larger than the whole.
            self.init(workingSetBytes: currentBytes - min(currentBytes, inactiveFileBytes), limitBytes: limitBytes)
        }

        /// The used share of the limit. A limit of nothing is always reached.
        package var share: Double {
            limitBytes == 0 ? 1 : Double(workingSetBytes) / Double(limitBytes)
        }
    }

    /// Of the whole machine.
    package var systemStall: Stall?
    /// Of the process's own control group.
    package var groupStall: Stall?
    /// Of the process's control group and those around it, as far as they have limits.
    package var usages: [Usage]

    package init(systemStall: Stall? = nil, groupStall: Stall? = nil, usages: [Usage] = []) {
        self.systemStall = systemStall
        self.groupStall = groupStall
        self.usages = usages
    }

    /// Whether nothing was found that a level could be decided by.
    package var isEmpty: Bool {
        systemStall == nil && groupStall == nil && usages.isEmpty
    }
}

extension MemoryReadings {
    /// The level that the readings amount to. Depends on nothing else.
    package func level(_ configuration: SystemMemoryPressure.Configuration) -> MemoryPressure {
        let stalls = relevantStalls
        if stalls.contains(where: { $0.full.reaches(configuration.criticalStallShare) })
            || usages.contains(where: { $0.share >= configuration.criticalUsageShare })
        {
            return .critical
        }
        if stalls.contains(where: { $0.some.reaches(configuration.warningStallShare) })
            || usages.contains(where: { $0.share >= configuration.warningUsageShare })
        {
            return .warning
        }
        return .normal
    }

    /// A process with a limit of its own has its own memory: that another container stands still at *its* limit shows in the machine's
    /// figures too, but is not helped by a smaller cache here. A process without limit shares the machine's memory,
    /// so it makes room for the others as well as for itself.
    private var relevantStalls: [Stall] {
        if !usages.isEmpty, let groupStall { return [groupStall] }
        return [systemStall, groupStall].compactMap { $0 }
    }
}

extension Double? {
    fileprivate func reaches(_ threshold: Double) -> Bool {
        map { $0 >= threshold } ?? false
    }
}
