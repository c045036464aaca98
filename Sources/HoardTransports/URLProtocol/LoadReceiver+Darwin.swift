// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    internal import Foundation

    /// The session's side of a load, which is told of the response and its content.
    ///
    /// A protocol's client is to be called on the thread that started the load, and the session stops the load on that thread too.
    final class LoadReceiver: @unchecked Sendable {
        /// Used on the thread of `runLoop` alone. `nil` once the load is over.
        private var urlProtocol: URLProtocol?
        private let runLoop: CFRunLoop?

        init(_ urlProtocol: URLProtocol) {
            self.urlProtocol = urlProtocol
            runLoop = CFRunLoopGetCurrent()
        }

        func receive(_ response: HTTPURLResponse) {
            perform { urlProtocol in urlProtocol.client?.urlProtocol(urlProtocol, didReceive: response, cacheStoragePolicy: .notAllowed) }
        }

        func receive(_ data: Data) {
            perform { urlProtocol in urlProtocol.client?.urlProtocol(urlProtocol, didLoad: data) }
        }

        func ask(_ challenge: URLAuthenticationChallenge) {
            perform { urlProtocol in urlProtocol.client?.urlProtocol(urlProtocol, didReceive: challenge) }
        }

        /// The session asks for `request` if its delegate agrees. This load is over.
        func redirect(to request: URLRequest, by response: HTTPURLResponse) {
            perform { [self] urlProtocol in
                self.urlProtocol = nil
                urlProtocol.client?.urlProtocol(urlProtocol, wasRedirectedTo: request, redirectResponse: response)
                urlProtocol.client?.urlProtocol(urlProtocol, didFailWithError: CocoaError(.userCancelled))
            }
        }

        func finish() {
            perform { [self] urlProtocol in
                self.urlProtocol = nil
                urlProtocol.client?.urlProtocolDidFinishLoading(urlProtocol)
            }
        }

        func fail(_ error: URLError) {
            perform { [self] urlProtocol in
                self.urlProtocol = nil
                urlProtocol.client?.urlProtocol(urlProtocol, didFailWithError: error)
            }
        }

        /// Nothing is left to do: each part is passed on when it comes.
        func deliver() {}

        func stop() {
            urlProtocol = nil
        }

        private func perform(_ action: @escaping @Sendable (URLProtocol) -> Void) {
            CFRunLoopPerformBlock(runLoop, CFRunLoopMode.defaultMode.rawValue) { [self] in
                if let urlProtocol { action(urlProtocol) }
            }
            CFRunLoopWakeUp(runLoop)
        }
    }
#endif
