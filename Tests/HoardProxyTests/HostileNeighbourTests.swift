// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import HoardTransports
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HoardProxy

/// No request of a client ever makes another client's request fail, not even if it makes the origin misbehave.
///
/// `HOARD_HOSTILE_REQUESTS=1000` sends so many hostile requests.
@Suite(.timeLimit(.minutes(30)))
struct HostileNeighbourTests {
    private static let hostileCount = ProcessInfo.processInfo.environment["HOARD_HOSTILE_REQUESTS"].flatMap { Int($0) } ?? 60
    private static let honestCount = 20

    /// The harm that a request asks the origin to do, in its field `x-harm`.
    private static let harms = [
        "reset", "refuse", "window", "connection-window", "goaway-error", "goaway-late", "goaway", "close", "malformed", "long-frame", "garbage",
        "wrong-length", "large-head", "huge-head", "half", "twice", "answered-reset",
    ]

    @Test(arguments: [false, true])
    func noHonestRequestFails(_ isHTTP2: Bool) async throws {
        let seed = UInt64.random(in: .min ... .max)
        let frames = try await FrameOrigin.start(handler: Self.answer)
        let script = try await ScriptedServer.start(Self.script)
        var upstream = CachingProxy.Configuration.Upstream(
            name: "origin",
            servers: [try Origin("http://127.0.0.1:\(isHTTP2 ? frames.port : script.port)")]
        )
        upstream.version = isHTTP2 ? .http2 : .http1
        (upstream.connectTimeout, upstream.responseTimeout, upstream.idleTimeout) = (.seconds(600), .seconds(600), .seconds(600))
        var configuration = CachingProxy.Configuration(upstreams: [upstream])
        configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
        // On a busy machine everything takes long.
        (configuration.limits.headTimeout, configuration.limits.idleTimeout) = (.seconds(600), .seconds(600))
        (configuration.limits.bodyTimeout, configuration.limits.writeTimeout) = (.seconds(600), .seconds(600))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let proxy = try await CachingProxy.start(configuration: configuration, stores: [], logger: logger)
        let port = proxy.urls.first?.split(separator: ":").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        let record = Record()
        let sent = Counter()
        try await withThrowingTaskGroup { group in
            for client in 0..<Self.honestCount {
                group.addTask {
                    try await Self.withTransport(isHTTP2: client % 2 == 0) { transport in
                        var number = 0
                        while number < 20 || !record.isOver {
                            number += 1
                            // Some ask for the same pages as hostile clients, and may wait for the same answer.
                            let path = number % 3 == 0 ? "/shared/\(record.round)" : "/own/\(client)/\(number)"
                            do {
                                let response = try await transport.send(Self.request(path, port), body: .empty)
                                let text = try await response.text()
                                let id = response.head.headerFields[text: "x-id"]
                                if response.head.status != .ok || text != path || id != path {
                                    record.fail("\(path): \(response.head.status) \(text) \(id ?? "")")
                                }
                            } catch {
                                record.fail("\(path): \(error)")
                            }
                            sent.add()
                        }
                    }
                }
            }
            group.addTask {
                defer { record.end() }
                try await withThrowingTaskGroup { hostile in
                    for worker in 0..<8 {
                        hostile.addTask {
                            var generator = SeededGenerator(seed: seed &+ UInt64(worker))
                            for number in 0..<(Self.hostileCount + 7) / 8 {
                                record.nextRound()
                                let path = number % 2 == 0 ? "/shared/\(record.round)" : "/hostile/\(worker)/\(number)"
                                await Self.doHarm(path, port, &generator)
                            }
                        }
                    }
                    try await hostile.waitForAll()
                }
            }
            try await group.waitForAll()
        }
        let all = record.failures
        #expect(all.isEmpty, "\(all.count) honest requests failed, seed \(seed): \(all.prefix(5))")
        #expect(sent.value >= 20 * Self.honestCount)
        let name = isHTTP2 ? "HTTP/2, \(frames.connections.value) connections" : "HTTP/1.1"
        print("Hostile neighbours, upstream \(name): \(Self.hostileCount) hostile requests, \(sent.value) honest ones, \(all.count) failed")
        await proxy.shutdown(gracePeriod: .zero)
        withExtendedLifetime((frames, script)) {}
    }

    /// The record of all events so far.
    private final class Record: Sendable {
        private let state = Mutex<(failures: [String], isOver: Bool, round: Int)>(([], false, 0))

        var failures: [String] { state.withLock { $0.failures } }
        var isOver: Bool { state.withLock { $0.isOver } }
        var round: Int { state.withLock { $0.round } }

        func fail(_ text: String) { state.withLock { $0.failures.append(text) } }
        func end() { state.withLock { $0.isOver = true } }
        func nextRound() { state.withLock { $0.round += 1 } }
    }

    private static func withTransport(isHTTP2: Bool, body: (NIOTransport) async throws -> Void) async throws {
        var configuration = NIOTransport.Configuration()
        (configuration.connectTimeout, configuration.readTimeout) = (.seconds(600), .seconds(600))
        configuration.version = isHTTP2 ? .http2 : .http1
        let transport = try NIOTransport(configuration: configuration)
        let result: Result<Void, any Error>
        do { result = .success(try await body(transport)) } catch { result = .failure(error) }
        await transport.shutdown()
        try result.get()
    }

    private static func request(_ path: String, _ port: Int, _ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:\(port)", path: path, headerFields: fields)
    }

    // MARK: Hostile clients

    private static func doHarm(_ path: String, _ port: Int, _ generator: inout SeededGenerator) async {
        var fields: HTTPFields = [:]
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: fields[text: "x-large"] = String(repeating: "0123456789abcdef", count: 1_875)
        case 1: fields[text: "x-large"] = String(repeating: "X", count: 63_000)
        case 2: fields[text: "x-large"] = String(repeating: "X", count: 70_000)
        case 3: for number in 0..<240 { fields[text: "x-\(number)"] = "\(number)" }
        case 4: return await sendBytes(HostileHeads.next(using: &generator), port)
        default: fields[text: "x-harm"] = HostileHeads.pick(harms, &generator)
        }
        let isHTTP2 = Bool.random(using: &generator)
        let request = request(path, port, fields)
        try? await withTransport(isHTTP2: isHTTP2) { transport in
            _ = try? await transport.send(request, body: .empty).text()
        }
    }

    private static func sendBytes(_ bytes: [UInt8], _ port: Int) async {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        guard let channel = try? await bootstrap.connect(host: "127.0.0.1", port: port).get() else { return }
        try? await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
        try? await channel.close().get()
    }

    // MARK: Origins

    @Sendable private static func answer(_ request: FrameOrigin.Request, _ connection: FrameOriginConnection) {
        let stream = request.stream
        let fields = [("x-id", request.path), ("cache-control", "max-age=60")]
        switch request["x-harm"] {
        case "reset": connection.reset(stream, 2)
        case "refuse": connection.reset(stream, 7)
        case "window":
            connection.windowUpdate(stream, 0x7FFF_FFFF)
            connection.reset(stream, 3)
        case "connection-window": connection.windowUpdate(0, 0x7FFF_FFFF)
        case "goaway-error":
            connection.goAway(lastStream: 0, 1)
            connection.close()
        case "goaway-late":
            connection.goAway(lastStream: 0x7FFF_FFFF, 11)
            connection.close()
        case "goaway":
            connection.goAway(lastStream: stream, 0)
            connection.respond(request.path, stream: stream)
        case "close": connection.close()
        case "malformed": connection.fields([("x-a", "b")], stream: stream, ends: true, flushes: true)
        case "long-frame": connection.write(0, stream: stream, payload: ByteBuffer(repeating: 0, count: 20_000))
        case "garbage": connection.write(1, flags: 4, stream: stream, payload: ByteBuffer(bytes: [0xFF, 0xFF, 0xFF, 0xFF]))
        case "wrong-length":
            connection.fields([(":status", "200"), ("content-length", "1")], stream: stream, ends: false)
            connection.write(0, flags: 1, stream: stream, payload: ByteBuffer(string: "xyz"))
        case "large-head": connection.respond("", fields + [("x-large", String(repeating: "X", count: 100_000))], stream: stream)
        case "huge-head": connection.respond("", fields + [("x-large", String(repeating: "X", count: 700_000))], stream: stream)
        case "half":
            connection.fields([(":status", "200"), ("content-length", "10")] + fields, stream: stream, ends: false)
            connection.write(0, stream: stream, payload: ByteBuffer(string: "xyz"))
            connection.reset(stream, 2)
        case "twice":
            connection.respond(request.path, fields, stream: stream)
            connection.respond("another's", fields, stream: stream)
        case "answered-reset":
            connection.respond(request.path, fields, stream: stream)
            connection.reset(stream, 0)
        default:
            connection.respond(request.path, fields, stream: stream)
        }
    }

    @Sendable private static func script(_ head: String) -> [ScriptedServer.Step] {
        let path = head.split(separator: " ").dropFirst().first.map { String($0) } ?? ""
        let fields = "X-Id: \(path)\r\nCache-Control: max-age=60\r\n"
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\(fields)\r\n\(path)"
        let harm = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("x-harm:") }?.split(separator: ":").last?.drop { $0 == " " }
        switch harm {
        case "reset", "goaway-error", "connection-window": return [.reset]
        case "close", "goaway-late": return [.close]
        case "malformed", "garbage": return [.send("\u{1}\u{2}\r\n\r\n"), .close]
        case "wrong-length": return [.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxyz")]
        case "large-head": return [.send("HTTP/1.1 200 OK\r\nX-Large: \(String(repeating: "X", count: 100_000))\r\nContent-Length: 0\r\n\r\n")]
        case "huge-head": return [.send("HTTP/1.1 200 OK\r\nX-Large: \(String(repeating: "X", count: 700_000))\r\nContent-Length: 0\r\n\r\n")]
        case "half": return [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\(fields)\r\nxyz"), .close]
        case "twice": return [.send(answer + "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nanother's")]
        case "refuse": return [.send("HTTP/1.1 503 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), .close]
        case "window", "long-frame": return [.send("HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")]
        case "goaway": return [.send("HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\nConnection: close\r\n\(fields)\r\n\(path)"), .close]
        default: return [.send(answer)]
        }
    }
}
