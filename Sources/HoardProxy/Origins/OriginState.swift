// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The known state of one server of an upstream.
package struct OriginState: Codable, Hashable, Sendable {
    package enum State: String, Codable, Hashable, Sendable {
        /// It has answered lately.
        case healthy
        /// It gets no requests but those that try whether it is well again.
        case unhealthy
        /// Nothing has been asked of it yet.
        case unknown
    }

    package var url: String
    package var state: State
    /// Requests sent to it, those sent again included, checks not.
    package var requests: UInt64
    /// Of these, those that failed by its fault.
    package var failures: UInt64
    /// Requests whose response has not arrived to its end.
    package var inProgress: Int
    /// Open connections, those of checks not included.
    package var connections: Int
    /// The average time for the head of a response; later ones count more. 0 before the first.
    package var meanResponseMilliseconds: Double
}
