// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if URLSession
    internal import Foundation

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
        internal import Synchronization

        /// The session's side of a load, which is told of the response and its content.
        ///
        /// Foundation starts and stops a protocol on its session's own queue, and the protocol must report there too: its
        /// table of tasks has no lock. There is one way to that queue: resuming a task that runs starts its protocol once
        /// more. So events wait here until then.
        final class LoadReceiver: @unchecked Sendable {
            private enum Event {
                case response(HTTPURLResponse)
                case data(Data)
                case end
                case failure(URLError)
            }

            private struct State {
                var events: [Event] = []
                /// The protocol will be started again.
                var isAwaited = false
                var isOver = false
            }

            /// Used on the session's queue alone. `nil` once the load is over.
            private var urlProtocol: URLProtocol?
            private let task: URLSessionTask?
            private let state = Mutex(State())

            init(_ urlProtocol: URLProtocol) {
                self.urlProtocol = urlProtocol
                task = urlProtocol.task
            }

            func receive(_ response: HTTPURLResponse) { post(.response(response)) }
            func receive(_ data: Data) { post(.data(data)) }
            func finish() { post(.end) }
            func fail(_ error: URLError) { post(.failure(error)) }

            private func post(_ event: Event) {
                let awaits = state.withLock { state in
                    guard !state.isOver else { return false }
                    state.events.append(event)
                    defer { state.isAwaited = true }
                    return !state.isAwaited
                }
                if awaits { task?.resume() }
            }

            /// Tells the session of the waiting events. To be called on its queue.
            func deliver() {
                let events = state.withLock { state in
                    defer { (state.events, state.isAwaited) = ([], false) }
                    return state.events
                }
                for event in events {
                    guard let urlProtocol else { return }
                    switch event {
                    case .response(let response): urlProtocol.client?.urlProtocol(urlProtocol, didReceive: response, cacheStoragePolicy: .notAllowed)
                    case .data(let data): urlProtocol.client?.urlProtocol(urlProtocol, didLoad: data)
                    case .end:
                        stop()
                        urlProtocol.client?.urlProtocolDidFinishLoading(urlProtocol)
                    case .failure(let error):
                        stop()
                        urlProtocol.client?.urlProtocol(urlProtocol, didFailWithError: error)
                    }
                }
            }

            /// Nothing is passed on from now on. To be called on the session's queue.
            func stop() {
                urlProtocol = nil
                state.withLock { state in (state.events, state.isOver) = ([], true) }
            }
        }
    #endif
#endif
