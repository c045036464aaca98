// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP

extension TransportError {
    /// An error of which no more is to be said than its code does.
    init(_ code: Code, at origin: Destination) {
        self.init(code, Self.message(code, origin, delay: "took too long", reason: "the network is away"))
    }

    /// One sentence for a person, which names host and port.
    ///
    /// - Parameters:
    ///   - delay: The step of an exchange that took too long.
    ///   - reason: Why no connection could be made.
    static func message(_ code: Code, _ origin: Destination, delay: @autoclosure () -> String, reason: @autoclosure () -> String) -> String {
        switch code {
        case .invalidURL: "The URL of a request to \(origin.name) is not valid."
        case .cannotConnect: "No connection to \(origin.name) could be made: \(reason())."
        case .tlsFailed: "The connection to \(origin.name) could not be secured: its certificate or its encryption was not accepted."
        case .timedOut: "The exchange with \(origin.name) \(delay())."
        case .connectionClosed: "The connection to \(origin.name) was closed before the response was complete."
        case .invalidResponse: "The response of \(origin.name) is not valid HTTP."
        case .cancelled: "The request to \(origin.name) was cancelled."
        default: "The request to \(origin.name) failed."
        }
    }

    static func shutDownMessage(_ origin: Destination) -> String {
        "The request to \(origin.name) was not sent because the transport has been shut down."
    }
}
