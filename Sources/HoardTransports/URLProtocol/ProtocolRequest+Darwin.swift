// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    internal import Foundation
    internal import HTTPTypes
    internal import HoardHTTP

    extension ProtocolRequest {
        /// The request that a redirect asks for ([RFC 9110 §15.4](https://www.rfc-editor.org/rfc/rfc9110#section-15.4)); `nil` if the response is to be delivered.
        ///
        /// - Throws: ``ClientError`` if the redirect cannot be followed.
        func redirected(by response: HTTPResponse) throws(ClientError) -> URLRequest? {
            guard let target = TargetURI(url) else { return nil }
            var chain = RedirectChain(head, to: target, options: RequestOptions())
            guard case .follow(let dropsBody) = try chain.received(response, bodyCanBeSentAgain: true),
                let url = URL(string: chain.target.description)
            else { return nil }
            var request = original
            request.url = url
            request.httpMethod = chain.request.method.rawValue
            request.allHTTPHeaderFields = chain.request.headerFields.joined
            if dropsBody { (request.httpBody, request.httpBodyStream) = (nil, nil) }
            return request
        }
    }
#endif
