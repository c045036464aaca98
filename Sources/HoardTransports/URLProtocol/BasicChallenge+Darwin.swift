// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    internal import Foundation
    internal import HTTPTypes
    internal import Hoard
    internal import HoardHTTP

    /// A response's demand for a name and a password: [RFC 7617 §2](https://www.rfc-editor.org/rfc/rfc7617#section-2).
    struct BasicChallenge {
        private let space: URLProtectionSpace
        private let response: HTTPURLResponse

        /// `nil` if the response asks for nothing, or for something else.
        init?(_ response: ClientResponse, at url: URL) {
            guard response.head.status == .unauthorized, let host = url.host(percentEncoded: false), let scheme = url.scheme,
                let demand = response.head.headerFields[values: .wwwAuthenticate].joined(separator: ", ")
                    .firstMatch(of: /(?i)(?:^|,)\s*basic(?:\s+realm="([^"]*)")?\s*(?:,|$)/),
                let failure = HTTPURLResponse(response.head, url: url)
            else { return nil }
            let realm = demand.output.1.map { String($0) }
            let port = url.port ?? (scheme == "https" ? 443 : 80)
            space = URLProtectionSpace(
                host: host,
                port: port,
                protocol: scheme,
                realm: realm,
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic
            )
            self.response = failure
        }

        /// The value of `Authorization` that the session's delegate wants sent, or `nil` if the response is to be delivered.
        ///
        /// - Parameter attempts: How many credentials the origin has refused.
        /// - Throws: `URLError` if the delegate ends the load.
        func answer(after attempts: Int, asking receiver: LoadReceiver) async throws -> String? {
            let answer = FirstAnswer<Answer>()
            receiver.ask(
                URLAuthenticationChallenge(
                    protectionSpace: space,
                    proposedCredential: nil,
                    previousFailureCount: attempts,
                    failureResponse: response,
                    error: nil,
                    sender: Sender(answer)
                )
            )
            let given = await withTaskCancellationHandler {
                await answer.value()
            } onCancel: {
                _ = answer.answer(.cancel)
            }
            switch given {
            case .use(let user, let password): return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
            case .deliver: return nil
            case .cancel: throw URLError(.userCancelledAuthentication)
            }
        }

        private enum Answer: Sendable {
            case use(user: String, password: String)
            case deliver
            case cancel
        }

        /// Receives the delegate's decision.
        private final class Sender: NSObject, URLAuthenticationChallengeSender, Sendable {
            private let answer: FirstAnswer<Answer>

            init(_ answer: FirstAnswer<Answer>) {
                self.answer = answer
            }

            func use(_ credential: URLCredential, for _: URLAuthenticationChallenge) {
                guard let user = credential.user, let password = credential.password else { return continueWithoutCredential() }
                _ = answer.answer(.use(user: user, password: password))
            }

            func continueWithoutCredential(for _: URLAuthenticationChallenge) { continueWithoutCredential() }
            func performDefaultHandling(for _: URLAuthenticationChallenge) { continueWithoutCredential() }
            func rejectProtectionSpaceAndContinue(with _: URLAuthenticationChallenge) { continueWithoutCredential() }
            func cancel(_: URLAuthenticationChallenge) { _ = answer.answer(.cancel) }

            private func continueWithoutCredential() { _ = answer.answer(.deliver) }
        }
    }
#endif
