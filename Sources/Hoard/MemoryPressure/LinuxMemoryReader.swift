// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    /// Reads the files in which Linux tells about memory.
    ///
    /// The kernel makes their contents up on the spot, so reading blocks for microseconds. A file that is missing, unreadable
    /// or strange is a reading that is absent, never an error: containers and old kernels lack some or all of them.
    package struct LinuxMemoryReader: Sendable {
        /// Of the largest of the files, `memory.stat`, less than a tenth.
        private static let maximumFileBytes = 1 << 16
        /// No sensible hierarchy is deeper.
        private static let maximumGroupDepth = 64

        private let procRoot: String
        private let cgroupRoot: String

        package init(procRoot: String, cgroupRoot: String) {
            self.procRoot = procRoot
            self.cgroupRoot = cgroupRoot
        }

        package func readings() -> MemoryReadings {
            let groups = groupDirectories()
            return MemoryReadings(
                systemStall: text("\(procRoot)/pressure/memory").flatMap(KernelText.stall),
                groupStall: groups.lazy.compactMap { text("\($0)/memory.pressure").flatMap(KernelText.stall) }.first,
                usages: groups.compactMap(usage)
            )
        }

        /// The directories of the process's group and of all groups around it, innermost first.
        ///
        /// Those around it count because their limits hold for the process too: a container's limit, say, is often set on the group around
        /// its own. And where a container sees only its own group but is told the path that the machine sees, the root is that group.
        private func groupDirectories() -> [String] {
            guard let path = text("\(procRoot)/self/cgroup").flatMap(KernelText.groupPath), path.count <= Self.maximumGroupDepth else { return [] }
            return (0...path.count).reversed().map { ([cgroupRoot] + path.prefix($0)).joined(separator: "/") }
        }

        /// The memory that a group uses, and its limit; `nil` if it has no limit, or if not all of the numbers can be read.
        ///
        /// Without knowing how much is page cache, use says nothing: a group that reads files would always seem full.
        private func usage(ofGroupIn directory: String) -> MemoryReadings.Usage? {
            guard let limit = limit(ofGroupIn: directory),
                let current = text("\(directory)/memory.current").flatMap(KernelText.bytes),
                let inactive = text("\(directory)/memory.stat").flatMap({ KernelText.statistic("inactive_file", in: $0) })
            else { return nil }
            return MemoryReadings.Usage(currentBytes: current, inactiveFileBytes: inactive, limitBytes: limit)
        }

        /// The lower of the group's two limits.
        private func limit(ofGroupIn directory: String) -> UInt64? {
            ["memory.high", "memory.max"].compactMap { name in
                guard case .bytes(let bytes) = text("\(directory)/\(name)").flatMap(KernelText.limit) else { return nil }
                return bytes
            }.min()
        }

        /// The contents of a file, or `nil` if it cannot be read or is too long.
        private func text(_ path: String) -> [UInt8]? {
            guard let file = try? FileDescriptor.reading(path), let bytes = try? file.read(Self.maximumFileBytes + 1),
                bytes.count <= Self.maximumFileBytes
            else { return nil }
            return bytes
        }
    }
#endif
