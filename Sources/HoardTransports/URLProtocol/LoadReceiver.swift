// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
    internal import Synchronization

    /// The session's side of a load, which is told what comes.
    ///
    /// Foundation puts the calls into the order in which they are made. It may stop the protocol at any time, on a thread of its own; nothing is passed on after that.
    final class LoadReceiver: @unchecked Sendable {
        /// Guarded by `lock`. `nil` once the load is over.
        private var urlProtocol: URLProtocol?
        private let lock = Mutex(())

        init(_ urlProtocol: URLProtocol) {
            self.urlProtocol = urlProtocol
        }

        func receive(_ response: HTTPURLResponse) {
            lock.withLock { _ in
                if let urlProtocol { urlProtocol.client?.urlProtocol(urlProtocol, didReceive: response, cacheStoragePolicy: .notAllowed) }
            }
        }

        func receive(_ data: Data) {
            lock.withLock { _ in
                if let urlProtocol { urlProtocol.client?.urlProtocol(urlProtocol, didLoad: data) }
            }
        }

        // These wait for the session's own queue, which may wait for `stop()`.

        func finish() {
            if let urlProtocol = end() { urlProtocol.client?.urlProtocolDidFinishLoading(urlProtocol) }
        }

        func fail(_ error: URLError) {
            if let urlProtocol = end() { urlProtocol.client?.urlProtocol(urlProtocol, didFailWithError: error) }
        }

        func stop() {
            _ = end()
        }

        private func end() -> URLProtocol? {
            lock.withLock { _ in
                defer { urlProtocol = nil }
                return urlProtocol
            }
        }
    }
#endif
