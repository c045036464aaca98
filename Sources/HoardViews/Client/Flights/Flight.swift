// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Names a flight.
struct FlightID: Hashable, Sendable { let number: UInt64 }

/// Names a removal.
struct RemovalID: Hashable, Sendable { let number: UInt64 }

/// The purpose for which a caller waits for a flight.
enum FlightInterest: Hashable, Sendable {
    case fetch
    /// - Parameters:
    ///   - maximumBytes: The longest response that it takes.
    ///   - keepsFor: For how many nanoseconds the result is kept for a fetch.
    case prefetch(maximumBytes: Int, keepsFor: Int64)

    var isFetch: Bool { self == .fetch }
}

/// The controls of a load that runs.
struct LoadControls: Sendable {
    var cancel: @Sendable () -> Void
    /// Raises its priority.
    var escalate: @Sendable (UInt8) -> Void
}
