// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if URLSession
    internal import Dispatch
    internal import Foundation
    internal import HoardHTTP
    internal import NIOCore
    internal import Synchronization

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    /// One request of a session and its response: the reports of the session on its queue, for one reader to take.
    final class SessionExchange: Sendable {
        private struct State {
            var task: URLSessionDataTask?
            var head: HTTPURLResponse?
            var parts = CircularBuffer<ByteBuffer>()
            var bufferedByteCount = 0
            /// How the exchange ended.
            var end: Result<Void, TransportError>?
            var isPaused = false
            var headWaiter: CheckedContinuation<Result<HTTPURLResponse, TransportError>, Never>?
            var partWaiter: CheckedContinuation<Result<ByteBuffer?, TransportError>, Never>?

            /// To be called under the lock, lest a task that was to be suspended and then resumed gets both the other way round. Neither calls back.
            mutating func setPaused(_ pauses: Bool) {
                isPaused = pauses
                if pauses { task?.suspend() } else { task?.resume() }
            }
        }

        private let origin: Destination
        private let maximumBufferedBytes: Int
        private let state = Mutex(State())

        init(origin: Destination, maximumBufferedBytes: Int) {
            self.origin = origin
            self.maximumBufferedBytes = maximumBufferedBytes
        }

        // MARK: Calls

        /// Starts the task, and waits for the head of the response. To be called once.
        func start(_ task: URLSessionDataTask) async throws(TransportError) -> HTTPURLResponse {
            state.withLock { $0.task = task }
            return try await withTaskCancellationHandler {
                task.resume()
                return await withCheckedContinuation { continuation in
                    let known = state.withLock { state -> Result<HTTPURLResponse, TransportError>? in
                        if let head = state.head { return .success(head) }
                        if case .failure(let error) = state.end { return .failure(error) }
                        if state.end != nil { return .failure(Self.noResponse(origin)) }
                        state.headWaiter = continuation
                        return nil
                    }
                    if let known { continuation.resume(returning: known) }
                }
            } onCancel: {
                end(with: .failure(cancelled))
            }.get()
        }

        /// The next part of the content; `nil` at its end. For one reader.
        func next() async throws(TransportError) -> ByteBuffer? {
            try await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let known = state.withLock { state -> Result<ByteBuffer?, TransportError>? in
                        if let part = state.parts.popFirst() {
                            state.bufferedByteCount -= part.readableBytes
                            if state.isPaused, state.bufferedByteCount <= Self.pauseByteCount / 2 { state.setPaused(false) }
                            return .success(part)
                        }
                        if let end = state.end { return end.map { nil } }
                        state.partWaiter = continuation
                        return nil
                    }
                    if let known { continuation.resume(returning: known) }
                }
            } onCancel: {
                end(with: .failure(cancelled))
            }.get()
        }

        /// Ends the exchange because no reader wants the rest.
        func abandon() {
            end(with: .failure(cancelled))
            // On Linux the session keeps the exchange for as long as the origin sends.
            state.withLock { $0.parts.removeAll() }
        }

        // MARK: Reports of the session

        func received(_ response: URLResponse) {
            guard let response = response as? HTTPURLResponse else {
                return end(with: .failure(Self.noResponse(origin)))
            }
            let waiter = state.withLock { state in
                state.head = response
                defer { state.headWaiter = nil }
                return state.headWaiter
            }
            waiter?.resume(returning: .success(response))
        }

        func received(_ part: ByteBuffer) {
            guard part.readableBytes > 0 else { return }
            let (waiter, isTooMuch) = state.withLock { state in
                guard state.end == nil else { return (nil, false) as Received }
                if let waiter = state.partWaiter.take() { return (waiter, false) }
                state.parts.append(part)
                state.bufferedByteCount += part.readableBytes
                if state.bufferedByteCount > maximumBufferedBytes { return (nil, true) }
                if Self.canPause, !state.isPaused, state.bufferedByteCount > Self.pauseByteCount { state.setPaused(true) }
                return (nil, false)
            }
            waiter?.resume(returning: .success(part))
            if isTooMuch {
                let message =
                    "The response of \(origin.name) was broken off: more than \(maximumBufferedBytes) bytes of it had arrived and nobody had read them."
                end(with: .failure(TransportError(.failed, message)))
            }
        }

        private typealias Received = (CheckedContinuation<Result<ByteBuffer?, TransportError>, Never>?, Bool)

        /// All of the content has arrived, whatever the session says from here on.
        func isComplete() {
            end(with: .success(()))
        }

        func ended(_ error: (any Error)?) {
            let hasHead = state.withLock { $0.head != nil }
            end(with: error.map { .failure(TransportError($0, origin: origin, hasHead: hasHead)) } ?? .success(()))
        }

        // MARK: -

        /// The first end is the one that counts. Content that has arrived before it can still be read, unless it is a
        /// failure.
        private func end(with end: Result<Void, TransportError>) {
            let (headWaiter, partWaiter, task) = state.withLock { state in
                guard state.end == nil else { return (nil, nil, nil) as Ended }
                state.end = end
                defer { (state.headWaiter, state.partWaiter, state.task) = (nil, nil, nil) }
                return (state.headWaiter, state.partWaiter, state.task)
            }
            if case .failure = end, let task { Self.cancel(task) }
            headWaiter?.resume(returning: end.flatMap { .failure(Self.noResponse(origin)) })
            partWaiter?.resume(returning: end.map { nil })
        }

        private typealias Ended = (
            CheckedContinuation<Result<HTTPURLResponse, TransportError>, Never>?, CheckedContinuation<Result<ByteBuffer?, TransportError>, Never>?,
            URLSessionDataTask?
        )

        private var cancelled: TransportError { TransportError(.cancelled, at: origin) }

        private static func noResponse(_ origin: Destination) -> TransportError {
            TransportError(.invalidResponse, at: origin)
        }

        /// On Linux, a task's `cancel()` waits until the session has read everything that has arrived. From an origin that never pauses this takes for ever,
        /// so no thread of Swift's waits for it.
        private static func cancel(_ task: URLSessionDataTask) {
            #if canImport(FoundationNetworking)
                cancelling.async { task.cancel() }
            #else
                task.cancel()
            #endif
        }

        #if canImport(FoundationNetworking)
            private static let cancelling = DispatchQueue(label: "Hoard.SessionExchange.cancelling", attributes: .concurrent)
        #endif

        /// The most bytes that may wait for the reader before the origin has to.
        private static let pauseByteCount = 256 << 10

        /// Whether a task goes on where it was when it is resumed.
        private static var canPause: Bool {
            #if canImport(FoundationNetworking)
                false
            #else
                true
            #endif
        }
    }
#endif
