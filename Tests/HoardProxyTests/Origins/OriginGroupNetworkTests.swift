// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import Logging
import NIOCore
import Synchronization
import Testing

@testable import HoardProxy

/// Groups of real servers on the loopback interface, which fail in the ways that servers do.
@Suite(.timeLimit(.minutes(1)))
struct OriginGroupNetworkTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func with(
        _ ports: [Int],
        change: (inout CachingProxy.Configuration.Upstream) -> Void = { _ in },
        body: (OriginGroup) async throws -> Void
    ) async throws {
        var upstream = CachingProxy.Configuration.Upstream(name: "test", servers: try ports.map { try Origin("http://127.0.0.1:\($0)") })
        // On a busy machine everything takes long.
        (upstream.connectTimeout, upstream.responseTimeout, upstream.idleTimeout) = (.seconds(20), .seconds(20), .seconds(20))
        change(&upstream)
        let group = try OriginGroup(upstream, group: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let result: Result<Void, any Error>
        do { result = .success(try await body(group)) } catch { result = .failure(error) }
        await group.shutdown()
        try result.get()
    }

    /// A port on which no process listens. One that the system has chosen for a server that has ended may be chosen for a server of another test.
    private static let unusedPort = 1

    private static func request(_ path: String = "/", _ method: HTTPRequest.Method = .get) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:1", path: path)
    }

    private static func error(_ script: @escaping ScriptedServer.Script, change: (inout CachingProxy.Configuration.Upstream) -> Void = { _ in })
        async throws
        -> TransportError
    {
        let server = try await ScriptedServer.start(script)
        var error: TransportError?
        try await with([server.port], change: change) { group in
            error = await #expect(throws: TransportError.self) { try await group.send(request()).text() }
            #expect(group.states().map(\.inProgress) == [0])
        }
        return try #require(error)
    }

    @Test func liveServersAnswerForDeadOnes() async throws {
        try await withServer(handler: { _ in .text("ok") }) { server in
            try await Self.with([Self.unusedPort, server.port]) { group in
                for _ in 0..<10 {
                    let text = try await group.send(Self.request()).text()
                    #expect(text == "ok")
                }
                #expect(group.states().map(\.state) == [.unhealthy, .healthy])
                #expect(group.states()[1].requests == 10)
                #expect(group.states()[1].connections == 1)
                #expect(group.states()[1].meanResponseMilliseconds > 0)
            }
        }
    }

    @Test func serverGetsItsOwnHostAndWhatTheClientIs() async throws {
        try await withServer(handler: { request in
            .text("\(request.head.authority ?? "") \(request.head.headerFields[.forwarded] ?? "")")
        }) { server in
            try await Self.with([server.port]) { group in
                let client = group.client(address: "2001:db8::1", scheme: "http", host: "evil.example")
                let text = try await group.transport(for: client).send(Self.request()).text()
                #expect(text == "127.0.0.1:\(server.port) for=\"[2001:db8::1]\";proto=http")
            }
        }
    }

    @Test func serverThatRestartsInTheMiddleOfItsResponseIsAnError() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"
        for ending in [ScriptedServer.Step.close, .reset] {
            let error = try await Self.error { _ in [.send(head), .pause(.milliseconds(20)), ending] }
            #expect(error.code == .connectionClosed)
        }
        let chunked = try await Self.error { _ in [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"), .close] }
        #expect(chunked.code == .connectionClosed)
    }

    @Test(arguments: ["H", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Le"])
    func halfAHeadIsAnErrorAndNotAskedForAgain(_ text: String) async throws {
        let server = try await ScriptedServer.start { _ in [.send(text), .close] }
        try await Self.with([server.port, server.port]) { group in
            let error = await #expect(throws: TransportError.self) { try await group.send(Self.request()) }
            #expect(error?.code == .connectionClosed)
            #expect(server.requests.value == 1)
        }
    }

    // The short times of the next three only have to pass, and all others are long: a busy machine makes these tests slower, and nothing else.

    @Test func serverThatSaysNothingTimesOut() async throws {
        let error = try await Self.error({ _ in [] }) { $0.responseTimeout = .milliseconds(200) }
        #expect(error.code == .timedOut && error.stage == .awaitingResponse)
        #expect(error.message.hasSuffix("did not answer in 0.2 seconds."))
    }

    @Test func headThatComesByteByByteTimesOut() async throws {
        let head = "HTTP/1.1 200 OK\r\nX-Long: \(String(repeating: "x", count: 5_000))"
        let script: ScriptedServer.Script = { _ in head.flatMap { [.send(String($0)), .pause(.milliseconds(10))] } }
        let error = try await Self.error(script) { $0.responseTimeout = .milliseconds(300) }
        #expect(error.code == .timedOut && error.stage == .awaitingResponse)
    }

    @Test func contentThatStopsTimesOut() async throws {
        let script: ScriptedServer.Script = { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")] }
        let error = try await Self.error(script) { $0.idleTimeout = .milliseconds(300) }
        #expect(error.code == .timedOut && error.stage == .receiving)
    }

    /// `ClientConnectionHandlerTests` has the same with time that it moves. Here a busy machine, too, may keep
    /// the server from sending for so long; then the test tries again. A defect that makes a slow reader the
    /// server's fault does so every time.
    @Test func readerThatIsSlowIsNotTheServersFault() async throws {
        let content = String(repeating: "x", count: 3_000_000)
        let server = try await ScriptedServer.start { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)")] }
        let other = try await ScriptedServer.start { _ in [.pause(.milliseconds(600)), .send(Self.ok)] }
        try await waitUntil {
            var count = 0
            try await Self.with([server.port], change: { $0.idleTimeout = .milliseconds(200) }) { group in
                guard let response = try? await group.send(Self.request()) else { return }
                // Much later than a server may be silent.
                try await Self.with([other.port]) { _ = try await $0.send(Self.request()).text() }
                do { for try await part in response.body { count += part.readableBytes } } catch { count = 0 }
            }
            return count == content.utf8.count
        }
    }

    @Test func connectionThatWasClosedWhileItWasKeptIsNoFailure() async throws {
        let count = Counter()
        let server = try await ScriptedServer.start { _ in
            count.add()
            return count.value == 2 ? [.close] : [.send(Self.ok)]
        }
        try await Self.with([server.port]) { group in
            for _ in 0..<3 {
                let text = try await group.send(Self.request()).text()
                #expect(text == "ok")
            }
            #expect(group.states().map(\.failures) == [0])
            #expect(server.requests.value == 4)
        }
    }

    @Test func uploadIsStreamedAndNotRepeated() async throws {
        let server = try await ScriptedServer.start { _ in [.close] }
        try await withServer(handler: { request in .text("\((try? await request.body.collect(upTo: 100))?.readableBytes ?? -1)") }) { good in
            // The first upload is lost in the middle; no other server gets the rest of it.
            try await Self.with([server.port, good.port]) { group in
                let lost = await #expect(throws: TransportError.self) {
                    try await group.send(Self.request("/", .put), body: HTTPBody(Parts.texts("a", "b"), length: nil))
                }
                #expect(lost?.code == .connectionClosed)
                let text = try await group.send(Self.request("/", .put), body: HTTPBody(Parts.texts("a", "b"), length: nil)).text()
                #expect(text == "2")
            }
            // The good server stands in for an upload that could not even begin.
            try await Self.with([Self.unusedPort, good.port]) { group in
                let text = try await group.send(Self.request("/", .post), body: HTTPBody(Parts.texts("a", "b", "c"), length: nil)).text()
                #expect(text == "3")
            }
        }
    }

    @Test func interimResponsesAndTrailersPassThrough() async throws {
        let answer =
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n"
        let server = try await ScriptedServer.start { _ in [.send(answer)] }
        try await Self.with([server.port]) { group in
            let hints = Counter()
            let response = try await group.send(Self.request(), body: .empty) { _ in hints.add() }
            #expect(hints.value == 1)
            #expect(try await response.text() == "ok")
            #expect(response.body.trailers?[.init("X-Sum")!] == "1")
        }
    }

    @Test func checksMakeTheirOwnConnections() async throws {
        let server = try await ScriptedServer.start { head in [.send(head.hasPrefix("GET /health ") ? Self.ok : "")] }
        try await Self.with(
            [server.port],
            change: {
                var check = CachingProxy.Configuration.Upstream.HealthCheck()
                check.path = "/health"
                check.successThreshold = 1
                $0.healthCheck = check
                $0.maximumConnectionCount = 1
            }
        ) { group in
            // The only connection is in use.
            let hanging = Task { try await group.send(Self.request()) }
            await server.requests.wait(for: 1)
            group.start()
            await server.requests.wait(for: 2)
            hanging.cancel()
            _ = await hanging.result
        }
    }

    @Test func exchangeOutlivesItsGroup() async throws {
        let gate = Gate()
        let handler: HTTPServer.Handler = { _ in
            let parts = Parts {
                var texts = ["o", "k"][...]
                return {
                    if texts.count == 1 { await gate.pass() }
                    return texts.popFirst().map { ByteBuffer(string: $0) }
                }
            }
            return HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(parts, length: 2))
        }
        try await withServer(handler: handler) { server in
            // However this ends, the server must not wait for ever.
            defer { gate.open() }
            func responseOfRetiredGroup() async throws -> TransportResponse {
                let upstream = CachingProxy.Configuration.Upstream(name: "test", servers: [try Origin("http://127.0.0.1:\(server.port)")])
                let group = try OriginGroup(upstream, group: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
                let response = try await group.send(Self.request())
                group.retire()
                return response
            }
            let response = try await responseOfRetiredGroup()
            gate.open()
            #expect(try await response.text() == "ok")
        }
    }

    @Test func settingsThatCannotBeUsedAreTold() throws {
        var upstream = CachingProxy.Configuration.Upstream(name: "shop", servers: [try Origin("https://a.test")])
        upstream.additionalTrustRootsPath = "/nonexistent.pem"
        let error = #expect(throws: ProxyError.self) {
            try OriginGroup(upstream, group: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.hasPrefix("The upstream “shop” cannot be used: ") == true)
    }

    @Test func healthCheckThatMakesNoSenseIsRefused() throws {
        let changes: [(inout CachingProxy.Configuration.Upstream.HealthCheck) -> Void] = [
            { $0.path = "health" }, { $0.path = "" }, { $0.interval = .zero }, { $0.timeout = .seconds(-1) }, { $0.failureThreshold = 0 },
            { $0.successThreshold = 0 },
        ]
        for change in changes {
            var upstream = CachingProxy.Configuration.Upstream(name: "shop", servers: [try Origin("http://a.test")])
            var check = CachingProxy.Configuration.Upstream.HealthCheck()
            change(&check)
            upstream.healthCheck = check
            let error = #expect(throws: ProxyError.self) {
                try OriginGroup(upstream, group: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            }
            #expect(error?.message.hasPrefix("The health check of the upstream “shop” cannot be used: ") == true)
        }
    }

    /// Servers that fail in all ways at random: every response is right or an error, nothing hangs, and nothing stays in progress.
    @Test(arguments: 0..<3)
    func noResponseIsWrongWhateverServersDo(_ round: Int) async throws {
        let seed = UInt64.random(in: .min ... .max)
        let random = Mutex(SeededGenerator(seed: seed))
        let script: ScriptedServer.Script = { head in
            let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            let whole = "HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)"
            let (kind, cut) = random.withLock { (Int.random(in: 0..<12, using: &$0), Int.random(in: 0..<whole.utf8.count, using: &$0)) }
            switch kind {
            case 0: return [.close]
            case 1: return [.reset]
            case 2: return [.send(String(whole.prefix(cut))), .close]
            case 3: return [.send(String(whole.prefix(cut))), .reset]
            case 4: return [.send(String(whole.prefix(cut))), .pause(.milliseconds(3)), .send(String(whole.dropFirst(cut)))]
            case 5: return [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")]
            case 6: return [.send(whole), .close]
            case 7: return [.send(whole + "HTTP/1.1 200 OK\r\n")]
            default: return [.send(whole)]
            }
        }
        let servers = [try await ScriptedServer.start(script), try await ScriptedServer.start(script)]
        try await Self.with(servers.map(\.port), change: { $0.maximumConnectionCount = 5 }) { group in
            let good = Counter()
            await withTaskGroup { tasks in
                for number in 0..<300 {
                    tasks.addTask {
                        let path = "/\(number)-\(String(repeating: "x", count: number % 50))"
                        guard let text = try? await group.send(Self.request(path, number.isMultiple(of: 3) ? .post : .get)).text() else { return }
                        #expect(text == path, "seed \(seed)")
                        good.add()
                    }
                }
            }
            #expect(good.value > 0, "seed \(seed)")
            #expect(group.states().map(\.inProgress) == [0, 0], "seed \(seed)")
        }
    }
}
