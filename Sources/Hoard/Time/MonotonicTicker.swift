// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// Public, because the coarse clock is inlined into each read of a cache whose entries expire.
#if canImport(Darwin)
    public import Darwin
#elseif canImport(Glibc)
    public import Glibc
#elseif canImport(Musl)
    public import Musl
#endif

/// The system's monotonic clock. It does not depend on the time of day.
///
/// On Apple platforms it goes on while the machine sleeps; on Linux (`CLOCK_MONOTONIC`) it stands still meanwhile.
public struct MonotonicTicker: Ticker {
    /// Creates the system's ticker.
    public init() {}

    public func nanoseconds() -> Int64 {
        #if canImport(Darwin)
            Int64(clamping: clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW))
        #elseif canImport(Glibc) || canImport(Musl)
            Self.read(CLOCK_MONOTONIC)
        #else
            Self.origin.duration(to: .now).saturatingNanoseconds
        #endif
    }

    /// The same clock as it stood at the last tick of the system's timer: a sixth of the cost, and up to ``coarseLag`` behind.
    @inlinable @inline(__always) static func coarseNanoseconds() -> Int64 {
        #if canImport(Darwin)
            Int64(clamping: clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX))
        #elseif canImport(Glibc) || canImport(Musl)
            read(CLOCK_MONOTONIC_COARSE)
        #else
            MonotonicTicker().nanoseconds()
        #endif
    }

    /// More than the coarse clock is ever behind, in nanoseconds: two ticks of the slowest timer in use (100 Hz).
    static let coarseLag: Int64 = 20_000_000

    #if canImport(Darwin)
    #elseif canImport(Glibc) || canImport(Musl)
        @inlinable @inline(__always) static func read(_ clock: clockid_t) -> Int64 {
            var time = timespec()
            clock_gettime(clock, &time)
            return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        }
    #else
        private static let origin = ContinuousClock.now
    #endif
}
