// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import NIOCore
internal import Synchronization

/// One request on its way to an origin, and the response's heads for its sender.
final class ClientExchange: Sendable {
    enum Head: Sendable {
        case interim(HTTPResponse)
        case final(TransportResponse)
    }

    private struct State {
        var interim = CircularBuffer<HTTPResponse>()
        /// Only until it is taken, for the response refers back to the exchange.
        var result: Result<TransportResponse, any Error>?
        var isResolved = false
        var waiter: CheckedContinuation<Head, any Error>?
        var isOver = false
        var isUnanswered = false
    }

    let request: OutgoingRequest
    private let wantsInterimResponses: Bool
    /// Turns an error that the connection reports into the one that readers of the response get.
    let asTransportError: @Sendable (any Error) -> TransportError
    private let state = Mutex(State())

    init(_ request: OutgoingRequest, wantsInterimResponses: Bool, asTransportError: @escaping @Sendable (any Error) -> TransportError) {
        self.request = request
        self.wantsInterimResponses = wantsInterimResponses
        self.asTransportError = asTransportError
    }

    /// Nothing more will be done for it: the response is complete, or it has failed.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// The next head: interim responses in their order, then the final one. Must not be called again after that, or twice at a time.
    func nextHead() async throws -> Head {
        try await withCheckedThrowingContinuation { continuation in
            let ready = state.withLock { state -> Result<Head, any Error>? in
                if let interim = state.interim.popFirst() { return .success(.interim(interim)) }
                if let result = state.result.take() { return result.map { .final($0) } }
                state.waiter = continuation
                return nil
            }
            if let ready { continuation.resume(with: ready) }
        }
    }

    func receive(interim response: HTTPResponse) {
        guard wantsInterimResponses else { return }
        let waiter = state.withLock { state -> CheckedContinuation<Head, any Error>? in
            guard !state.isResolved else { return nil }
            if let waiter = state.waiter.take() { return waiter }
            state.interim.append(response)
            return nil
        }
        waiter?.resume(returning: .interim(response))
    }

    func receive(final response: TransportResponse) {
        resolve(.success(response))
    }

    /// Whether it has failed before any byte of a response arrived.
    var isUnanswered: Bool { state.withLock { $0.isUnanswered } }

    /// The exchange is over. Without effect on a response whose head has been received.
    ///
    /// - Parameter isUnanswered: No byte of a response has arrived.
    func fail(_ error: any Error, isUnanswered: Bool = false) {
        if isUnanswered { state.withLock { $0.isUnanswered = !$0.isResolved } }
        resolve(.failure(error))
        end()
    }

    /// The response has been received to its end.
    func end() {
        state.withLock { $0.isOver = true }
    }

    private func resolve(_ result: Result<TransportResponse, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Head, any Error>? in
            guard !state.isResolved else { return nil }
            state.isResolved = true
            guard let waiter = state.waiter.take() else {
                state.result = result
                return nil
            }
            return waiter
        }
        waiter?.resume(with: result.map { .final($0) })
    }
}
