// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if URLSession
    internal import Foundation
    internal import HTTPTypes
    internal import HoardHTTP
    internal import HoardWire
    internal import NIOCore

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    /// The request that a protocol was made for, in this package's types.
    struct ProtocolRequest: Sendable {
        let original: URLRequest
        let url: URL
        let head: HTTPRequest
        let body: HTTPBody
        let options: RequestOptions
        /// The longest that the load may stand still.
        let timeout: Duration
        let handlesCookies: Bool

        /// - Throws: `URLError` if a cache cannot ask for it.
        init(of urlProtocol: URLProtocol) throws(URLError) {
            #if canImport(FoundationNetworking)
                try Self.checkThatContentIsSeen(by: urlProtocol)
            #endif
            try self.init(urlProtocol.request)
        }

        init(_ request: URLRequest) throws(URLError) {
            guard let url = request.url, let target = TargetURI(url), let method = HTTPRequest.Method(request.httpMethod ?? "GET") else {
                throw URLError(.badURL, "The request has no method or no http or https URL that can be used.", url: request.url)
            }
            original = request
            self.url = url
            var head = HTTPRequest(method: method, scheme: nil, authority: nil, path: nil)
            for (name, value) in request.allHTTPHeaderFields ?? [:] {
                guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else {
                    throw URLError(.badURL, "The request has a field whose name or value HTTP does not allow.", url: url)
                }
                // The transport says where the request goes and how long it is.
                if name != .contentLength, name.canonicalName != "host" { head.headerFields.append(HTTPField(name: name, value: value)) }
            }
            head.setTarget(target)
            self.head = head
            body =
                if let data = request.httpBody {
                    HTTPBody(ByteBuffer(bytes: data))
                } else if let stream = request.httpBodyStream {
                    HTTPBody(InputStreamBody(stream), length: request.value(forHTTPHeaderField: "Content-Length").flatMap { Int(contentLength: $0) })
                } else {
                    .empty
                }
            var options = RequestOptions(cacheMode: RequestCacheMode(request.cachePolicy))
            options.followsRedirects = Self.followsRedirects
            self.options = options
            timeout = request.timeoutInterval > 0 ? .seconds(min(request.timeoutInterval, 1e9)) : .seconds(60)
            handlesCookies = request.httpShouldHandleCookies
        }

        #if canImport(FoundationNetworking)
            private static let followsRedirects = true

            /// Foundation keeps the content of an upload task to itself, and stops the process when a download task ends without the file that it alone can name.
            private static func checkThatContentIsSeen(by urlProtocol: URLProtocol) throws(URLError) {
                let request = urlProtocol.request
                switch urlProtocol.task {
                case is URLSessionDownloadTask:
                    throw URLError(
                        .unsupportedURL,
                        "Foundation on Linux lets no URLProtocol answer a download task. Use a data task.",
                        url: request.url
                    )
                case is URLSessionUploadTask where request.httpBody == nil && request.httpBodyStream == nil:
                    let message =
                        "Foundation on Linux shows no URLProtocol the content of an upload task. Use a data task whose request has an httpBody or an httpBodyStream."
                    throw URLError(.requestBodyStreamExhausted, message, url: request.url)
                default: break
                }
            }
        #else
            /// The session decides.
            private static let followsRedirects = false
        #endif
    }

    extension RequestCacheMode {
        /// The mode with the meaning of a request's policy.
        init(_ policy: NSURLRequest.CachePolicy) {
            switch policy {
            case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: self = .reload
            case .returnCacheDataElseLoad: self = .forceCache
            case .returnCacheDataDontLoad: self = .onlyIfCached
            case .reloadRevalidatingCacheData: self = .noCache
            default: self = .default
            }
        }
    }
#endif
