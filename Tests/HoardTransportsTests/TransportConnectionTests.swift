// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import HoardTransports
import NIOCore
import NIOPosix
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(5)))
struct TransportConnectionTests {
    @Test(arguments: TransportKind.allCases)
    func connectionsAreKeptForLaterRequests(_ kind: TransportKind) async throws {
        let reply: @Sendable (String) -> RawOrigin.Reply = { head in
            if head.hasPrefix("GET /empty ") { return .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
            return .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" + (head.hasPrefix("HEAD ") ? "" : "ok"))
        }
        try await withRawOrigin(reply: reply) { origin in
            try await withTransport(kind) { transport in
                #expect(try await transport.text(.get("/1", port: origin.port)) == "ok")
                // Responses without content need not be read to free their connection.
                _ = try await transport.send(.get("/empty", port: origin.port), body: .empty)
                _ = try await transport.send(
                    HTTPRequest(method: .head, scheme: "http", authority: "127.0.0.1:\(origin.port)", path: "/"),
                    body: .empty
                )
                #expect(try await transport.text(.get("/3", port: origin.port)) == "ok")
                #expect(origin.received.count == 1)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func noMoreConnectionsAreOpenedThanAllowed(_ kind: TransportKind) async throws {
        let door = Signal()
        let begun = Counter()
        let handler: HTTPServer.Handler = { _ in
            begun.add()
            await door.wait()
            return .text("ok")
        }
        try await withServer(handler: handler) { server in
            try await withTransport(kind, { $0.maximumConnectionCountPerHost = 3 }) { transport in
                let port = server.port
                try await withThrowingTaskGroup { group in
                    for _ in 0..<12 {
                        group.addTask {
                            let text = try await transport.text(.get(port: port))
                            #expect(text == "ok")
                        }
                    }
                    await begun.wait(for: 3)
                    #expect(server.connectionCount == 3)
                    door.fire()
                    try await group.waitForAll()
                }
                #expect(begun.value == 12)
                #expect(server.connectionCount == 3)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func refusedConnectionIsToldAtOnce(_ kind: TransportKind) async throws {
        // Nothing listens on this port, and the system never chooses it for a server of another test.
        let port = 1
        try await withTransport(kind, { $0.connectTimeout = .seconds(3_600) }) { transport in
            let error = try await #require(throws: TransportError.self) { _ = try await transport.send(.get(port: port), body: .empty) }
            #expect(error.code == .cannotConnect)
            #expect(error.message == "No connection to 127.0.0.1 port \(port) could be made: nothing listens there.")
        }
    }

    @Test(arguments: TransportKind.allCases)
    func nameThatDoesNotResolveIsTold(_ kind: TransportKind) async throws {
        try await withTransport(kind) { transport in
            let request = HTTPRequest(method: .get, scheme: "http", authority: "host.invalid:8080", path: "/")
            let error = try await #require(throws: TransportError.self) { _ = try await transport.send(request, body: .empty) }
            #expect(error.code == .cannotConnect)
            #expect(error.message == "No connection to host.invalid port 8080 could be made: its name does not resolve.")
        }
    }

    @Test(arguments: TransportKind.allCases)
    func originThatClosesBeforeItAnswersIsToldAndNotAskedAgain(_ kind: TransportKind) async throws {
        try await withRawOrigin(reply: { _ in .sendAndClose("") }) { origin in
            try await withTransport(kind) { transport in
                let error = try await #require(throws: TransportError.self) { _ = try await transport.send(.get(port: origin.port), body: .empty) }
                #expect(error.code == .connectionClosed)
                #expect(error.message.contains("127.0.0.1 port \(origin.port)"))
                #expect(origin.received.count == 1)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func originThatDoesNotAnswerTimesOut(_ kind: TransportKind) async throws {
        try await withRawOrigin(reply: { _ in .nothing }) { origin in
            try await withTransport(kind, { $0.readTimeout = .milliseconds(50) }) { transport in
                let error = try await #require(throws: TransportError.self) { _ = try await transport.send(.get(port: origin.port), body: .empty) }
                #expect(error.code == .timedOut)
                #expect(error.message == "The exchange with 127.0.0.1 port \(origin.port) stood still for 0.05 seconds.")
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func originThatStopsInTheMiddleTimesOut(_ kind: TransportKind) async throws {
        try await withRawOrigin(reply: { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc") }) { origin in
            try await withTransport(kind, { $0.readTimeout = .milliseconds(500) }) { transport in
                // On a machine that is very busy, the head may already be late.
                let error = await #expect(throws: TransportError.self) { try await transport.text(.get(port: origin.port)) }
                #expect(error?.code == .timedOut)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func originThatTakesNothingTimesOut(_ kind: TransportKind) async throws {
        try await withRawOrigin(reads: false, reply: { _ in .nothing }) { origin in
            try await withTransport(kind, { $0.readTimeout = .milliseconds(200) }) { transport in
                let body = HTTPBody(Parts.repeating(byteCount: 1_024 * 1_024, count: 1_000), length: nil)
                let error = try await #require(throws: TransportError.self) { _ = try await transport.send(.post(port: origin.port), body: body) }
                #expect(error.code == .timedOut)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func requestThatFindsNoFreeConnectionTimesOut(_ kind: TransportKind) async throws {
        let begun = Signal()
        let reply: @Sendable (String) -> RawOrigin.Reply = { _ in
            begun.fire()
            return .nothing
        }
        try await withRawOrigin(reply: reply) { origin in
            try await withTransport(
                kind,
                {
                    $0.maximumConnectionCountPerHost = 1
                    $0.connectTimeout = .seconds(5)
                }
            ) { transport in
                let port = origin.port
                let first = Task {
                    // If it never reaches the origin, the test fails instead of waiting for ever.
                    defer { begun.fire() }
                    return try await transport.send(.get(port: port), body: .empty)
                }
                await begun.wait()
                let error = try await #require(throws: TransportError.self) { _ = try await transport.send(.get(port: port), body: .empty) }
                #expect(error.code == .timedOut)
                #expect(error.message.hasPrefix("No connection to 127.0.0.1 port \(port) could be had in 5"))
                first.cancel()
                _ = await first.result
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func cancelledRequestIsToldAndItsConnectionClosed(_ kind: TransportKind) async throws {
        let begun = Signal()
        let cancelled = Signal()
        let handler: HTTPServer.Handler = { _ in
            begun.fire()
            await waitForCancellation()
            cancelled.fire()
            return .text("")
        }
        try await withServer(handler: handler) { server in
            try await withTransport(kind) { transport in
                let port = server.port
                let request = Task { try await transport.send(.get(port: port), body: .empty) }
                await begun.wait()
                request.cancel()
                let error = await #expect(throws: TransportError.self) { try await request.value }
                #expect(error?.code == .cancelled)
                await cancelled.wait()
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func transportThatHasBeenShutDownSaysSo(_ kind: TransportKind) async throws {
        let transport = try kind.make()
        await transport.shutdown()
        await transport.shutdown()
        let error = try await #require(throws: TransportError.self) { _ = try await transport.send(.get(port: 1), body: .empty) }
        #expect(error.code == .failed)
        #expect(error.message == "The request to 127.0.0.1 port 1 was not sent because the transport has been shut down.")
    }

    @Test(arguments: TransportKind.allCases)
    func transportMayBeDroppedWithoutBeingShutDown(_ kind: TransportKind) async throws {
        try await withServer(handler: { _ in .text("ok") }) { server in
            let response = try await kind.make().send(.get(port: server.port), body: .empty)
            #expect(response.head.status == .ok)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func settingsThatMakeNoSenseAreRefused(_ kind: TransportKind) {
        let changes: [(inout TransportSettings) -> Void] = [
            { $0.connectTimeout = .zero }, { $0.readTimeout = .seconds(-1) }, { $0.maximumConnectionCountPerHost = 0 },
        ]
        for change in changes {
            var settings = TransportSettings()
            change(&settings)
            let error = #expect(throws: TransportError.self) { try kind.make(settings) }
            #expect(error?.message.hasPrefix("The setting ") == true)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func originWithAnUnknownCertificateIsRefused(_ kind: TransportKind) async throws {
        try await withRawOrigin(isSecure: true, reply: { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }) { origin in
            try await withTransport(kind) { transport in
                let error = try await #require(throws: TransportError.self) {
                    _ = try await transport.send(.get(port: origin.port, scheme: "https"), body: .empty)
                }
                #expect(error.code == .tlsFailed)
                #expect(error.message.contains("127.0.0.1 port \(origin.port)"))
                #expect(origin.received.isEmpty)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func originWithACertificateOfAnAdditionalRootIsTrusted(_ kind: TransportKind) async throws {
        try await withTemporaryFile(TestCertificate.first.certificate) { path in
            try await withRawOrigin(isSecure: true, reply: { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }) { origin in
                try await withTransport(kind, { $0.additionalTrustRootsPath = path }) { transport in
                    let text = try await transport.text(.get(port: origin.port, scheme: "https"))
                    #expect(text == "ok")
                    // The same certificate does not count for another name.
                    let other = HTTPRequest(method: .get, scheme: "https", authority: "ip6-localhost:\(origin.port)", path: "/")
                    await #expect(throws: TransportError.self) { _ = try await transport.send(other, body: .empty) }
                }
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func originThatIsNotSecureIsRefusedOverHTTPS(_ kind: TransportKind) async throws {
        try await withServer(handler: { _ in .text("") }) { server in
            try await withTransport(kind) { transport in
                let error = try await #require(throws: TransportError.self) {
                    _ = try await transport.send(.get(port: server.port, scheme: "https"), body: .empty)
                }
                #expect(error.code == .tlsFailed)
            }
        }
    }

    @Test(arguments: [nil, "", "not a certificate"], TransportKind.allCases)
    func trustRootsThatCannotBeReadAreTold(_ content: String?, _ kind: TransportKind) async throws {
        try await withTemporaryFile(content) { path in
            var settings = TransportSettings()
            settings.additionalTrustRootsPath = path
            let error = #expect(throws: TransportError.self) { try kind.make(settings) }
            #expect(error?.code == .tlsFailed)
            #expect(error?.message.contains(path) == true)
        }
    }
}

/// Writes a file, if there is content for it, and removes it when `body` is done with it.
private func withTemporaryFile(_ content: String?, body: (_ path: String) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "hoard-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appending(path: "roots.pem")
    if let content { try Data(content.utf8).write(to: file) }
    try await body(file.path)
}
