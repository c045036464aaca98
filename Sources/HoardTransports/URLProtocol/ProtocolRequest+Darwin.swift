// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    internal import Foundation
    internal import HTTPTypes
    internal import HoardHTTP

    extension ProtocolRequest {
        /// The request that a redirect asks for ([RFC 9110 §15.4](https://www.rfc-editor.org/rfc/rfc9110#section-15.4)); `nil` if the response is to be delivered. Whether it is followed, and
        /// how often, is for the session to decide.
        ///
        /// - Throws: ``ClientError`` if it leads nowhere, or content that is a stream would have to be sent again.
        func redirected(by response: HTTPResponse) throws(ClientError) -> URLRequest? {
            guard let target = TargetURI(url) else { return nil }
            var options = RequestOptions()
            options.allowsInsecureRedirects = true
            var chain = RedirectChain(head, to: target, options: options)
            do throws(ClientError) {
                guard case .follow = try chain.received(response, bodyCanBeSentAgain: body.bytesAtHand != nil) else { return nil }
            } catch  where error.code == .redirectLoop {
                // To itself, with a cookie.
            }
            guard let url = URL(string: chain.target.description) else { return nil }
            var request = original
            request.url = url
            request.httpMethod = chain.request.method.rawValue
            request.allHTTPHeaderFields = chain.request.headerFields.dictionary
            if chain.request.method != head.method { (request.httpBody, request.httpBodyStream) = (nil, nil) }
            return request
        }
    }
#endif
