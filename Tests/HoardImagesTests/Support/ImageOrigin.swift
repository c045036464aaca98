// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import Foundation
    import HTTPTypes
    import Hoard
    import HoardHTTP
    import HoardImages
    import HoardTesting
    import NIOCore
    import Synchronization

    /// An origin that serves images which a test can change, and an image cache in front of it.
    final class ImageOrigin: Sendable {
        struct Answer: Sendable {
            var data: Data
            var fields: HTTPFields
            var status = HTTPResponse.Status.ok
        }

        private let served: Served
        let transport: FakeTransport
        let cache: HTTPCache
        let images: ImageCache

        init(
            _ answers: [String: Answer] = [:],
            stores: [any RecordStore] = [],
            configuration: ImageCache.Configuration = .init(),
            clock: any WallClock = SystemWallClock()
        ) {
            let origin = Served(answers)
            let transport = FakeTransport { request in origin.answer(request) }
            self.transport = transport
            cache = HTTPCache(stores: stores, clock: clock)
            images = ImageCache(client: CachingClient(transport: transport, cache: cache), stores: stores, configuration: configuration, clock: clock)
            served = origin
        }

        func serve(_ answer: Answer, at path: String) { served.set(answer, at: path) }

        var requestCount: Int { transport.requests.count }

        static func url(_ path: String) -> String { "http://example.com\(path)" }

        private final class Served: Sendable {
            private let answers: Mutex<[String: Answer]>

            init(_ answers: [String: Answer]) { self.answers = Mutex(answers) }

            func set(_ answer: Answer, at path: String) { answers.withLock { $0[path] = answer } }

            /// Answers "not modified" to a client that has the entity tag.
            func answer(_ request: FakeTransport.Request) -> FakeTransport.Answer {
                guard let answer = answers.withLock({ $0[request.head.path ?? ""] }) else { return .text(status: .notFound) }
                if let tag = answer.fields[.eTag], request.head.headerFields[.ifNoneMatch] == tag {
                    return .response(HTTPResponse(status: .notModified, headerFields: answer.fields))
                }
                return .response(HTTPResponse(status: answer.status, headerFields: answer.fields), body: HTTPBody(ByteBuffer(bytes: answer.data)))
            }
        }
    }

    extension ImageOrigin.Answer {
        /// Fresh for an hour.
        static func fresh(_ data: Data, _ fields: HTTPFields = [:]) -> Self {
            var fields = fields
            fields[.cacheControl] = "max-age=3600"
            return .init(data: data, fields: fields)
        }

        /// To be revalidated each time.
        static func revalidated(_ data: Data, tag: String) -> Self {
            .init(data: data, fields: [.cacheControl: "no-cache", .eTag: "\"\(tag)\""])
        }
    }

    /// A network that goes away when a test says so.
    final class FakeNetwork: Sendable {
        private let state = Mutex(false)

        var isAway: Bool { state.withLock { $0 } }

        func goAway() { state.withLock { $0 = true } }
    }
#endif
