// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Memory pressure as the operating system sees it.
///
/// On Apple's systems the kernel announces the levels. On Linux they are found by reading, once in
/// ``Configuration/pollingInterval``, how much time tasks lose by waiting for memory ("pressure stall information",
/// <https://docs.kernel.org/accounting/psi.html>) and how full the process's control groups are (version 2,
/// <https://docs.kernel.org/admin-guide/cgroup-v2.html>). Elsewhere, and where nothing can be read, the level stays
/// ``MemoryPressure/normal``, and ``isAvailable`` is `false`.
public struct SystemMemoryPressure: MemoryPressureSource {
    private let source: any MemoryPressureSource
    private let checkAvailability: @Sendable () -> Bool

    /// Creates a source.
    ///
    /// - Parameter configuration: The readings at which levels begin on Linux. Apple's systems decide that themselves.
    public init(configuration: Configuration = Configuration()) {
        configuration.check()
        #if canImport(Darwin) && canImport(Dispatch)
            source = DispatchMemoryPressure()
            checkAvailability = { true }
        #elseif canImport(Glibc) || canImport(Musl)
            self.init(configuration: configuration, procRoot: "/proc", cgroupRoot: "/sys/fs/cgroup")
        #else
            source = PollingMemoryPressure(interval: configuration.pollingInterval, currentLevel: { .normal })
            checkAvailability = { false }
        #endif
    }

    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
        /// Polls files as Linux has them.
        ///
        /// - Parameters:
        ///   - procRoot: Where `/proc` is.
        ///   - cgroupRoot: Where the hierarchy of control groups is.
        ///   - sleep: Waits between two looks; throws when the task is cancelled.
        package init(
            configuration: Configuration = Configuration(),
            procRoot: String,
            cgroupRoot: String,
            sleep: @escaping @Sendable (Duration) async throws -> Void = { try await MonotonicTicker().sleep(for: $0) }
        ) {
            configuration.check()
            let reader = LinuxMemoryReader(procRoot: procRoot, cgroupRoot: cgroupRoot)
            source = PollingMemoryPressure(
                interval: configuration.pollingInterval,
                currentLevel: { reader.readings().level(configuration) },
                sleep: sleep
            )
            checkAvailability = { !reader.readings().isEmpty }
        }
    #endif

    /// Whether the system reports memory pressure at present.
    ///
    /// On Linux this reads a few small files that the kernel makes up on the spot, so it does not wait for a disk.
    public var isAvailable: Bool { checkAvailability() }

    public func levels() -> AsyncStream<MemoryPressure> { source.levels() }
}
