// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardNIOTestSupport
import HoardTesting
import HoardTestingServer
import NIOCore
import Synchronization
import Testing

@testable import HoardTransports

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5)))
struct HoardURLProtocolTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60"]

    /// Runs an origin, and a session with a cache of its own.
    private static func with(
        isStreaming: Bool? = nil,
        delegate: (any URLSessionDelegate)? = nil,
        _ handler: @escaping FakeOrigin.Handler,
        body: (FakeOrigin, URLSession) async throws -> Void
    ) async throws {
        let origin = try await FakeOrigin.start(handler)
        let session = URLSession(configuration: .hoard(cache: HTTPCache(), isStreaming: isStreaming), delegate: delegate, delegateQueue: nil)
        let result = await Result { try await body(origin, session) }
        session.invalidateAndCancel()
        await origin.stop()
        try result.get()
    }

    private static func request(_ origin: FakeOrigin, _ path: String = "/", _ change: (inout URLRequest) -> Void = { _ in }) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: origin.url + path)))
        change(&request)
        return request
    }

    // MARK: The cache

    @Test func freshResponseIsNotAskedForAgain() async throws {
        try await Self.with({ _, _ in .init("hello", fields: Self.fresh) }) { origin, session in
            let request = try Self.request(origin)
            for status in ["fwd=uri-miss", "hit"] {
                let (data, response) = try await session.data(for: request)
                #expect(String(decoding: data, as: UTF8.self) == "hello")
                let head = try #require(response as? HTTPURLResponse)
                #expect(head.statusCode == 200)
                #expect(head.url == request.url)
                #expect(head.value(forHTTPHeaderField: "Cache-Status")?.contains(status) == true)
            }
            #expect(origin.requests.count == 1)
        }
    }

    @Test func staleResponseIsValidated() async throws {
        let handler: FakeOrigin.Handler = { request, _ in
            if request.headerFields[.ifNoneMatch] == "\"1\"" { return .init(status: .notModified, fields: [.eTag: "\"1\""]) }
            return .init("hello", fields: [.cacheControl: "no-cache", .eTag: "\"1\""])
        }
        try await Self.with(handler) { origin, session in
            let request = try Self.request(origin)
            for _ in 0..<2 {
                let (data, response) = try await session.data(for: request)
                #expect(String(decoding: data, as: UTF8.self) == "hello")
                #expect((response as? HTTPURLResponse)?.statusCode == 200)
            }
            #expect(origin.requests.map { $0.headerFields[.ifNoneMatch] } == [nil, "\"1\""])
        }
    }

    @Test func policyOfTheRequestIsFollowed() async throws {
        try await Self.with({ _, _ in .init("hello", fields: Self.fresh) }) { origin, session in
            let missing = await #expect(throws: URLError.self) {
                try await session.data(for: Self.request(origin) { $0.cachePolicy = .returnCacheDataDontLoad })
            }
            #expect(missing?.code == .resourceUnavailable)
            #expect(origin.requests.isEmpty)
            _ = try await session.data(for: Self.request(origin))
            let stored = try await session.data(for: Self.request(origin) { $0.cachePolicy = .returnCacheDataDontLoad })
            #expect(String(decoding: stored.0, as: UTF8.self) == "hello")
            #expect(origin.requests.count == 1)
            _ = try await session.data(for: Self.request(origin) { $0.cachePolicy = .reloadIgnoringLocalCacheData })
            #expect(origin.requests.count == 2)
        }
    }

    @Test(arguments: [
        (NSURLRequest.CachePolicy.useProtocolCachePolicy, RequestCacheMode.default), (.reloadIgnoringLocalCacheData, .reload),
        (.reloadIgnoringLocalAndRemoteCacheData, .reload), (.returnCacheDataElseLoad, .forceCache), (.returnCacheDataDontLoad, .onlyIfCached),
        (.reloadRevalidatingCacheData, .noCache),
    ])
    func policyHasAMode(policy: NSURLRequest.CachePolicy, mode: RequestCacheMode) {
        #expect(RequestCacheMode(policy) == mode)
    }

    @Test func sessionsWithOneCacheShareItAndOthersDoNot() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("hello", fields: Self.fresh) }
        let cache = HTTPCache()
        for cache in [cache, cache, HTTPCache()] {
            let session = URLSession(configuration: .hoard(cache: cache))
            _ = try await session.data(for: Self.request(origin))
            session.finishTasksAndInvalidate()
        }
        await origin.stop()
        #expect(origin.requests.count == 2)
    }

    @Test func eachClientHasAClassAndKeepsIt() {
        let clients = (0..<20).map { _ in CachingClient(transport: FakeTransport { _ in .text("") }) }
        let classes = clients.map { ClientURLProtocols.shared.protocolClass(for: $0, isStreaming: false) }
        #expect(Set(classes.map { ObjectIdentifier($0) }).count == 20)
        for (client, made) in zip(clients, classes) {
            #expect(made.client === client)
            #expect(ClientURLProtocols.shared.protocolClass(for: client, isStreaming: false) == made)
            let streaming = ClientURLProtocols.shared.protocolClass(for: client, isStreaming: true)
            #expect(streaming != made)
            #expect(streaming.isStreaming && !made.isStreaming)
            let remembering = ClientURLProtocols.shared.protocolClass(for: client, cookieStorage: .shared)
            #expect(remembering != made)
            #expect(remembering.cookieStorage === HTTPCookieStorage.shared && made.cookieStorage == nil)
        }
    }

    @Test(arguments: ["ftp://example.com/", "data:,a", "file:///tmp", "ws://example.com/"])
    func otherSchemesAreNotTaken(url: String) throws {
        let made = ClientURLProtocols.shared.protocolClass(for: CachingClient(transport: FakeTransport { _ in .text("") }), isStreaming: false)
        #expect(!made.canInit(with: URLRequest(url: try #require(URL(string: url)))))
        #expect(made.canInit(with: URLRequest(url: try #require(URL(string: "https://example.com/")))))
        #expect(!HoardURLProtocol.canInit(with: URLRequest(url: try #require(URL(string: "https://example.com/")))))
    }

    // MARK: Content

    @Test func contentOfManyPartsArrivesWhole() async throws {
        let text = String(repeating: "0123456789", count: 100_000)
        try await Self.with({ _, _ in .init(text, fields: Self.fresh) }) { origin, session in
            for _ in 0..<2 {
                let (data, _) = try await session.data(for: Self.request(origin))
                #expect(data == Data(text.utf8))
            }
            #expect(origin.requests.count == 1)
        }
    }

    @Test func delegateGetsThePartsAsTheyCome() async throws {
        let delegate = RecordingDelegate()
        let goesOn = Signal()
        let handler: FakeOrigin.Handler = { _, _ in
            let (parts, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
            continuation.yield(ByteBuffer(string: "first"))
            Task {
                await goesOn.wait()
                continuation.yield(ByteBuffer(string: "second"))
                continuation.finish()
            }
            return .init(fields: Self.fresh, body: HTTPBody(parts, length: 11))
        }
        try await Self.with(isStreaming: true, delegate: delegate, handler) { origin, session in
            session.dataTask(with: try Self.request(origin)).resume()
            await delegate.waitForEvents(2)
            #expect(delegate.events == ["head 200", "data first"])
            goesOn.fire()
            await delegate.waitForEvents(4)
            #expect(delegate.events == ["head 200", "data first", "data second", "end"])
        }
    }

    @Test func contentThatBreaksOffIsAnError() async throws {
        struct Broken: Error {}
        let handler: FakeOrigin.Handler = { _, _ in
            let parts = AsyncThrowingStream<ByteBuffer, any Error> { continuation in
                continuation.yield(ByteBuffer(string: "first"))
                continuation.finish(throwing: Broken())
            }
            return .init(fields: Self.fresh, body: HTTPBody(parts, length: 11))
        }
        try await Self.with(handler) { origin, session in
            let error = await #expect(throws: URLError.self) { try await session.data(for: Self.request(origin)) }
            #expect(error?.code == .networkConnectionLost)
        }
    }

    @Test func contentOfTheRequestIsSent() async throws {
        try await Self.with({ request, body in
            .init("\(request.method) \((try? await body.collect(upTo: 1 << 20)).map { String(buffer: $0) } ?? "nothing")")
        }) { origin, session in
            let bytes = try await session.data(
                for: Self.request(origin) { request in
                    request.httpMethod = "POST"
                    request.httpBody = Data("bytes".utf8)
                }
            )
            #expect(String(decoding: bytes.0, as: UTF8.self) == "POST bytes")
            let long = String(repeating: "0123456789", count: 30_000)
            let streamed = try await session.data(
                for: Self.request(origin) { request in
                    request.httpMethod = "PUT"
                    request.httpBodyStream = InputStream(data: Data(long.utf8))
                }
            )
            #expect(String(decoding: streamed.0, as: UTF8.self) == "PUT " + long)
        }
    }

    #if canImport(FoundationNetworking)
        @Test func tasksThatFoundationKeepsToItselfFailWithASentence() async throws {
            try await Self.with({ _, _ in .init("hello") }) { origin, session in
                let request = try Self.request(origin) { $0.httpMethod = "POST" }
                let uploading = await #expect(throws: URLError.self) { try await session.upload(for: request, from: Data("lost".utf8)) }
                #expect(uploading?.localizedDescription.contains("httpBody") == true)
                let downloading = await #expect(throws: URLError.self) { try await session.download(for: request) }
                #expect(downloading?.localizedDescription.contains("data task") == true)
                #expect(origin.requests.isEmpty)
            }
        }
    #endif

    // MARK: Redirects, credentials and cookies

    @Test func redirectIsFollowed() async throws {
        let handler: FakeOrigin.Handler = { request, _ in
            if request.path == "/new" { return .init("new", fields: Self.fresh) }
            return .init(status: .movedPermanently, fields: [.location: "/new", .cacheControl: "max-age=60"])
        }
        try await Self.with(handler) { origin, session in
            for _ in 0..<2 {
                let (data, response) = try await session.data(for: Self.request(origin, "/old"))
                #expect(String(decoding: data, as: UTF8.self) == "new")
                #expect(response.url?.path == "/new")
            }
            #expect(origin.requests.map(\.path) == ["/old", "/new"])
        }
    }

    @Test func challengeIsGivenToTheDelegate() async throws {
        let delegate = RecordingDelegate(user: "user", password: "secret")
        let handler: FakeOrigin.Handler = { request, _ in
            guard let authorization = request.headerFields[.authorization] else {
                return .init("who?", status: .unauthorized, fields: [.wwwAuthenticate: "Basic realm=\"here\""])
            }
            return .init(authorization)
        }
        try await Self.with(delegate: delegate, handler) { origin, session in
            session.dataTask(with: try Self.request(origin)).resume()
            await delegate.waitForEnd()
            #expect(delegate.events.contains("challenge here"))
            #expect(delegate.events.suffix(3) == ["head 200", "data Basic dXNlcjpzZWNyZXQ=", "end"])
        }
    }

    @Test func cookiesAreKeptAndSent() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            .init(request.headerFields[.cookie] ?? "none", fields: [.setCookie: "a=1", .setCookie: "b=2; Expires=Wed, 21 Oct 2099 07:28:00 GMT"])
        }
        let configuration = URLSessionConfiguration.default
        configuration.protocolClasses = [CookieProtocol.self]
        let session = URLSession(configuration: configuration)
        var contents: [String] = []
        for handlesCookies in [true, true, false] {
            let (data, _) = try await session.data(for: Self.request(origin) { $0.httpShouldHandleCookies = handlesCookies })
            contents.append(String(decoding: data, as: UTF8.self))
        }
        session.finishTasksAndInvalidate()
        await origin.stop()
        #expect(contents.first == "none")
        #expect(contents[1].split(separator: "; ").sorted() == ["a=1", "b=2"])
        #expect(contents.last == "none")
    }

    /// Cookies that the session adds come before those of the cache's storage.
    @Test func configurationAddsNoCookiesOfItsOwn() {
        let configuration = URLSessionConfiguration.hoard(cache: HTTPCache(), cookieStorage: nil)
        #expect(configuration.httpCookieStorage == nil)
        #expect(!configuration.httpShouldSetCookies)
    }

    @Test func cookiesOfOtherPathsAndSecureOnesAreNotSent() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            .init(
                request.headerFields[.cookie] ?? "none",
                fields: [.setCookie: "a=1; Path=/a", .setCookie: "b=2; Path=/; Secure", .setCookie: "c=3; Path=/"]
            )
        }
        let storage = URLSessionConfiguration.ephemeral.httpCookieStorage
        let session = URLSession(configuration: .hoard(cache: HTTPCache(), cookieStorage: storage))
        var contents: [String] = []
        for path in ["/a/b", "/a/b", "/ab"] {
            contents.append(String(decoding: try await session.data(for: Self.request(origin, path)).0, as: UTF8.self))
        }
        session.finishTasksAndInvalidate()
        await origin.stop()
        #expect(contents.map { $0.split(separator: "; ").sorted() } == [["none"], ["a=1", "c=3"], ["c=3"]])
    }

    // MARK: Failures

    @Test func cancelledTaskEndsTheExchange() async throws {
        let transport = PatientTransport()
        let delegate = RecordingDelegate()
        let session = URLSession(configuration: .hoard(client: CachingClient(transport: transport)), delegate: delegate, delegateQueue: nil)
        let task = session.dataTask(with: try #require(URL(string: "https://example.com/")))
        task.resume()
        await transport.arrived.wait()
        task.cancel()
        await transport.cancelled.wait()
        await delegate.waitForEnd()
        session.finishTasksAndInvalidate()
        #expect(delegate.events == ["failed -999"])
    }

    @Test func taskThatIsResumedTwiceLoadsOnce() async throws {
        let delegate = RecordingDelegate()
        try await Self.with(delegate: delegate, { _, _ in .init("hello", fields: [.cacheControl: "no-store"]) }) { origin, session in
            let task = session.dataTask(with: try Self.request(origin))
            task.resume()
            task.resume()
            await delegate.waitForEnd()
            #expect(delegate.events == ["head 200", "data hello", "end"])
            #expect(origin.requests.count == 1)
        }
    }

    /// Foundation's table of a session's tasks has no lock.
    @Test func manyLoadsOfASessionRunAtOnceAndAreCancelled() async throws {
        try await Self.with({ request, _ in .init(request.path ?? "", fields: [.cacheControl: "no-store"]) }) { origin, session in
            let requests = try (0..<200).map { try Self.request(origin, "/\($0)") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, request) in requests.enumerated() {
                    group.addTask {
                        let load = Task { try await session.data(for: request).0 }
                        if number % 4 == 0 {
                            for _ in 0..<(number % 16) { await Task.yield() }
                            load.cancel()
                            _ = try? await load.value
                        } else {
                            let data = try await load.value
                            #expect(String(decoding: data, as: UTF8.self) == "/\(number)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func loadThatStandsStillForTooLongFails() async throws {
        let transport = PatientTransport()
        let session = URLSession(configuration: .hoard(client: CachingClient(transport: transport)))
        var request = URLRequest(url: try #require(URL(string: "https://example.com/")))
        request.timeoutInterval = 0.05
        let impatient = request
        let error = await #expect(throws: URLError.self) { try await session.data(for: impatient) }
        await transport.cancelled.wait()
        session.finishTasksAndInvalidate()
        #expect(error?.code == .timedOut)
        #expect(error?.localizedDescription == "Nothing came for 0.05 seconds.")
    }

    @Test func loadWhoseResponseStandsStillBehindItsHeadFails() async throws {
        let session = URLSession(configuration: .hoard(client: CachingClient(transport: HeadTransport())))
        var request = URLRequest(url: try #require(URL(string: "https://example.com/")))
        request.httpMethod = "POST"
        // While so much is sent, the load has no limit.
        request.httpBody = Data(count: 65 << 10)
        request.timeoutInterval = 0.05
        let impatient = request
        let error = await #expect(throws: URLError.self) { try await session.data(for: impatient) }
        session.finishTasksAndInvalidate()
        #expect(error?.code == .timedOut)
    }

    @Test(arguments: ["-1", "+5", "five", ""])
    func lengthThatIsNoneIsNotBelieved(length: String) throws {
        var request = URLRequest(url: try #require(URL(string: "https://example.com/")))
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(data: Data())
        request.setValue(length, forHTTPHeaderField: "Content-Length")
        #expect(try ProtocolRequest(request).body.length == nil)
    }

    @Test func originThatIsAwayIsAnErrorOfTheNetwork() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("hello") }
        let request = try Self.request(origin)
        await origin.stop()
        let session = URLSession(configuration: .hoard(cache: HTTPCache()))
        let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
        session.finishTasksAndInvalidate()
        #expect(error?.code == .cannotConnectToHost)
    }

    @Test func errorsOfTheClientHaveCodesOfTheSession() throws {
        let url = try #require(URL(string: "https://example.com/"))
        let codes: [(TransportError.Code, URLError.Code)] = [
            (.cannotConnect, .cannotConnectToHost), (.tlsFailed, .secureConnectionFailed), (.timedOut, .timedOut),
            (.connectionClosed, .networkConnectionLost),
            (.invalidResponse, .badServerResponse), (.cancelled, .cancelled), (.failed, .unknown), (.invalidURL, .badURL),
        ]
        for (code, wanted) in codes {
            let error = URLError(TransportError(code, "A sentence."), url: url)
            #expect(error.code == wanted)
            #expect(error.localizedDescription == "A sentence.")
            #expect(error.failingURL == url)
        }
        #expect(URLError(TransportError(.failed, "A sentence.", underlyingError: URLError(.dnsLookupFailed)), url: url).code == .dnsLookupFailed)
        #expect(URLError(CancellationError(), url: url).code == .cancelled)
    }
}

/// Answers nothing, and ends when it is cancelled.
private struct PatientTransport: Transport {
    let arrived = Signal()
    let cancelled = Signal()

    func send(_: HTTPRequest, body _: HTTPBody, onInterimResponse _: InterimResponseHandler?) async throws(TransportError) -> TransportResponse {
        arrived.fire()
        await waitForCancellation()
        cancelled.fire()
        throw TransportError(.cancelled, "The request was cancelled.")
    }
}

/// Answers with a head, and sends no content.
private struct HeadTransport: Transport {
    func send(_: HTTPRequest, body _: HTTPBody, onInterimResponse _: InterimResponseHandler?) async throws(TransportError) -> TransportResponse {
        let silence = Parts {
            {
                await waitForCancellation()
                throw CancellationError()
            }
        }
        return TransportResponse(head: HTTPResponse(status: .ok), body: HTTPBody(silence, length: nil))
    }
}

/// Keeps cookies apart from those of the process.
private final class CookieProtocol: HoardURLProtocol {
    private static let shared = CachingClient(transport: URLSessionTransport())
    private static let storage = URLSessionConfiguration.ephemeral.httpCookieStorage

    override static var client: CachingClient? { shared }
    override static var cookieStorage: HTTPCookieStorage? { storage }
}

/// Writes down the calls that a session makes to its delegate.
private final class RecordingDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var events: [String] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let credential: (user: String, password: String)?
    private let ended = Signal()
    private let state = Mutex(State())

    override init() {
        credential = nil
    }

    init(user: String, password: String) {
        credential = (user, password)
    }

    var events: [String] { state.withLock(\.events) }

    func waitForEnd() async {
        await ended.wait()
    }

    func waitForEvents(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.events.count >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private func add(_ event: String) {
        let ready = state.withLock { state in
            state.events.append(event)
            let ready = state.waiters.filter { $0.count <= state.events.count }
            state.waiters.removeAll { $0.count <= state.events.count }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    func urlSession(
        _: URLSession,
        dataTask _: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        add("head \((response as? HTTPURLResponse)?.statusCode ?? 0)")
        completionHandler(.allow)
    }

    func urlSession(_: URLSession, dataTask _: URLSessionDataTask, didReceive data: Data) {
        add("data \(String(decoding: data, as: UTF8.self))")
    }

    func urlSession(
        _: URLSession,
        task _: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        add("challenge \(challenge.protectionSpace.realm ?? "")")
        if let credential {
            completionHandler(.useCredential, URLCredential(user: credential.user, password: credential.password, persistence: .none))
        } else {
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    }

    func urlSession(_: URLSession, task _: URLSessionTask, didCompleteWithError error: (any Error)?) {
        add(error.map { "failed \(($0 as? URLError)?.errorCode ?? 0)" } ?? "end")
        ended.fire()
    }
}
