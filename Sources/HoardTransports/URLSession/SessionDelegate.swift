// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if URLSession
    internal import Foundation
    internal import NIOCore
    internal import Synchronization

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    /// Hands the session's reports to the exchanges that they belong to.
    final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
        private let exchanges = Mutex<[Int: SessionExchange]>([:])

        func add(_ exchange: SessionExchange, for task: URLSessionTask) {
            exchanges.withLock { $0[task.taskIdentifier] = exchange }
        }

        private func exchange(of task: URLSessionTask) -> SessionExchange? {
            exchanges.withLock { $0[task.taskIdentifier] }
        }

        /// No redirect is followed: it is the response.
        func urlSession(
            _: URLSession,
            task _: URLSessionTask,
            willPerformHTTPRedirection _: HTTPURLResponse,
            newRequest _: URLRequest,
            completionHandler: @escaping (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        /// Lets the system decide which servers to trust. No user is asked for a name and a password: the response that asks for them is the response.
        func urlSession(
            _: URLSession,
            task: URLSessionTask,
            didReceive _: URLAuthenticationChallenge,
            completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            #if canImport(FoundationNetworking)
                // Here the challenge comes behind the content, the default handling never ends the task, and a refusal ends it as cancelled.
                exchange(of: task)?.isComplete()
                completionHandler(.rejectProtectionSpace, nil)
            #else
                completionHandler(.performDefaultHandling, nil)
            #endif
        }

        func urlSession(
            _: URLSession,
            dataTask: URLSessionDataTask,
            didReceive response: URLResponse,
            completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
        ) {
            exchange(of: dataTask)?.received(response)
            completionHandler(.allow)
        }

        func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            exchange(of: dataTask)?.received(ByteBuffer(bytes: data))
        }

        func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.ended(error)
        }
    }
#endif
