// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A source that reports the level of memory pressure.
///
/// ``SystemMemoryPressure`` asks the operating system. Tests and programs that know better provide their own.
public protocol MemoryPressureSource: Sendable {
    /// Returns the levels from now on.
    ///
    /// A stream begins at ``MemoryPressure/normal``, without saying so, and then yields every change. It may yield
    /// ``MemoryPressure/critical`` again and again while nothing changes, so that a consumer that gives up memory step by step goes on.
    /// A consumer that is slow gets only the newest level.
    ///
    /// Each call starts a stream of its own. Observing ends when the consuming task is cancelled or the stream is released.
    func levels() -> AsyncStream<MemoryPressure>
}
