// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if URLSession
    public import HoardHTTP

    #if canImport(FoundationNetworking)
        internal import Foundation
        public import FoundationNetworking
    #else
        public import Foundation
    #endif

    /// Answers the requests of a `URLSession` through an ``HTTPCache``.
    ///
    /// ```swift
    /// let session = URLSession(configuration: .hoard(cache: HTTPCache(stores: [disk])))
    /// let (data, response) = try await session.data(from: url)
    /// ```
    ///
    /// Code that uses the session stays as it is: a fresh response that is stored costs no request, a stale one is
    /// validated, and a response whose `Cache-Control` forbids it is not stored
    /// ([RFC 9111](https://www.rfc-editor.org/rfc/rfc9111)). `URLRequest.cachePolicy` is followed, and
    /// ``HTTPCacheResponse/cacheStatus`` is in the field `Cache-Status` of each response. The session's own `URLCache` is
    /// not used.
    ///
    /// The client's transport fetches everything that is not in the cache, on connections of its own. So **the session's delegate is not asked about certificates**: an app that pins them has to pin them in its
    /// transport. Of the configuration nothing reaches that transport (proxies, TLS versions, waiting for connectivity), and of the request no permission to use cellular or expensive networks. Content comes
    /// as the transport gives it; of Hoard's, only ``URLSessionTransport`` decodes content codings.
    ///
    /// - *Redirects.* On Apple's systems the session hears of each, as from its own loading. Linux has no way to tell it: there they are followed before it gets the response, whose
    ///   `url` is the last one.
    /// - *Cookies* of ``cookieStorage`` are sent and kept, if the request's `httpShouldHandleCookies` says so. Those of a redirect that was followed on Linux are lost, and those that come
    ///   with the confirmation of a stored response (304).
    /// - *Credentials.* A response of 401 with a `Basic` challenge is given to the session's delegate, whose answer is sent to the origin. On Apple's
    ///   systems that is so only if the request has no content, which a session shows as a stream. A response that is
    ///   fetched so on Linux is not cached, since Foundation sends it by itself.
    /// - *Time.* `timeoutInterval` is the longest that a load may stand still. While content of more than 64 KiB, or of unknown length, is sent, only the transport's limits hold: an hour,
    ///   for `URLSessionConfiguration.hoard(cache:cookieStorage:isStreaming:)`.
    /// - *Linux* (Swift 6.3) also keeps some things from such a class. The configuration's `httpAdditionalHeaders`, `requestCachePolicy` and
    ///   `timeoutIntervalForRequest` are not seen, and neither is a delegate's decision about a response. A subclass in a
    ///   configuration with cookies gets those in the request. The content of an upload task is not seen, and a download
    ///   task has no place for its file. Both fail with a sentence that says so. A data task with an `httpBody` or
    ///   `httpBodyStream` works. A completion handler gets only the part of the content that came last, so that content
    ///   comes in one part unless ``isStreaming`` says otherwise. With a completion handler, or a delegate that asks for
    ///   default handling, a 401 with a challenge never ends, as without this class.
    ///
    /// For settings of your own, make a subclass that overrides ``client`` and name it in `protocolClasses`.
    open class HoardURLProtocol: URLProtocol {
        /// The client that answers. A class without one takes no requests. Asked for each request, on any thread.
        open class var client: CachingClient? { nil }

        /// Where cookies are kept. `nil`: none are sent or kept, but those of the request itself. Default: the process's shared storage.
        open class var cookieStorage: HTTPCookieStorage? { .shared }

        /// Whether the session gets content part by part, as it comes. Default: `true` on Apple's systems. On Linux `false`, since only a delegate gets more than the last part there.
        open class var isStreaming: Bool {
            #if canImport(FoundationNetworking)
                false
            #else
                true
            #endif
        }

        /// Used where the session starts and stops the protocol.
        private var load: URLProtocolLoad?

        /// Whether the class handles a request. Foundation asks.
        open override class func canInit(with request: URLRequest) -> Bool {
            client != nil && request.url.flatMap { TargetURI($0) } != nil
        }

        /// The request as it is. Foundation asks.
        open override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        /// Never: Hoard decides which requests a stored response answers.
        open override class func requestIsCacheEquivalent(_: URLRequest, to _: URLRequest) -> Bool { false }

        /// Asks the client, or passes on its answer. The session calls this, on a thread of its own.
        open override func startLoading() {
            if let load { return load.receiver.deliver() }
            let receiver = LoadReceiver(self)
            do throws(URLError) {
                guard let client = type(of: self).client else { throw URLError(.unsupportedURL) }
                let load = URLProtocolLoad(
                    try ProtocolRequest(of: self),
                    for: receiver,
                    client: client,
                    cookieStorage: type(of: self).cookieStorage,
                    isStreaming: type(of: self).isStreaming
                )
                self.load = load
                load.start()
            } catch {
                self.client?.urlProtocol(self, didFailWithError: error)
            }
        }

        /// Ends the load. The session calls this.
        open override func stopLoading() {
            load?.stop()
            load = nil
        }
    }

    extension TargetURI {
        init?(_ url: URL) {
            self.init(URIReference(url.absoluteString))
        }
    }
#endif
