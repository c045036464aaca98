// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import Logging
import NIOCore
import NIOSSL
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HTTPServerTLSTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func configuration(_ credentials: TLSCredentials, isHTTP2Enabled: Bool = true) -> HTTPServer.Configuration {
        .init(listeners: [HTTPServer.Listener(.tcp(host: "127.0.0.1", port: 0), tls: credentials, isHTTP2Enabled: isHTTP2Enabled)])
    }

    private static func connect(_ server: HTTPServer, protocols: [String] = []) async throws -> RawClient {
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: server.port)
        return try await RawClient.connect(to: address, tls: try TestCertificate.clientContext(protocols: protocols))
    }

    @Test(arguments: [[], ["http/1.1"], ["spdy/3", "http/1.1"]])
    func http1IsSpokenUnlessAgreedOtherwise(protocols: [String]) async throws {
        try await withServer(
            Self.configuration(TestCertificate.first.credentials),
            handler: { .text("\($0.version) \($0.head.scheme ?? "") \($0.head.authority ?? "")") },
            body: { server in
                let client = try await Self.connect(server, protocols: protocols)
                for target in ["/", "https://b/"] {
                    try await client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
                    #expect(try await client.receiveResponse().content == "HTTP/1.1 https \(target == "/" ? "a" : "b")")
                }
                try await client.send("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await client.receiveResponse().status == 400)
                _ = try await client.receiveUntilClosed()
                #expect(client.isClosed)
            }
        )
    }

    @Test func http2IsSpokenWhenAgreedOn() async throws {
        try await withServer(
            Self.configuration(TestCertificate.first.credentials),
            handler: { .text("\($0.version) \($0.head.scheme ?? "")") },
            body: { server in
                let client = try await FrameClient(Self.connect(server, protocols: ["h2", "http/1.1"]))
                #expect(try await client.exchange(1, FrameClient.get("/")).text == "HTTP/2.0 https")
            }
        )
        try await withServer(
            Self.configuration(TestCertificate.first.credentials, isHTTP2Enabled: false),
            handler: { .text("\($0.version)") },
            body: { server in
                let client = try await Self.connect(server, protocols: ["h2", "http/1.1"])
                try await client.send(Self.request)
                #expect(try await client.receiveResponse().content == "HTTP/1.1")
            }
        )
    }

    /// The suite's limit is shorter than the server would wait for an answer that it did not see.
    @Test(arguments: [false, true]) func aConnectionThatIsClosedEndsWithTheClientsAnswer(isIdle: Bool) async throws {
        var configuration = Self.configuration(TestCertificate.first.credentials)
        configuration.listeners[0].tlsRules.shutdownTimeout = .seconds(3_600)
        let asked = Gate()
        let server = try await HTTPServer.start(configuration) { request in
            if request.head.path == "/" { return .text("hello") }
            asked.open()
            try? await Task.sleep(for: .seconds(3_600))
            return .text("late")
        }
        let client = try await Self.connect(server)
        try await client.send(Self.request)
        #expect(try await client.receiveResponse().content == "hello")
        if !isIdle {
            try await client.send("GET /hanging HTTP/1.1\r\nHost: a\r\n\r\n")
            await asked.pass()
        }
        async let ended: Void = server.shutdown(gracePeriod: .zero)
        _ = try? await client.receiveUntilClosed()
        #expect(client.isClosed)
        // The answer. Without TLS the end of the server's side would be enough.
        try await client.closeOutput()
        await ended
    }

    @Test func requestInClearIsNotAnswered() async throws {
        try await withServer(
            Self.configuration(TestCertificate.first.credentials),
            handler: { _ in .text("") },
            body: { server in
                let client = try await RawClient.connect(port: server.port)
                try await client.send(Self.request)
                let answer = (try? await client.receiveUntilClosed()) ?? ""
                #expect(!answer.contains("HTTP"))
            }
        )
    }

    @Test func silentClientIsClosedAfterAWhile() async throws {
        var configuration = Self.configuration(TestCertificate.first.credentials)
        configuration.headTimeout = .milliseconds(50)
        try await withServer(
            configuration,
            handler: { _ in .text("") },
            body: { server in
                let client = try await RawClient.connect(port: server.port)
                #expect(try await client.receiveUntilClosed().isEmpty)
            }
        )
    }

    @Test func newCertificatesAreForNewConnections() async throws {
        let current = Mutex(TestCertificate.first)
        let credentials = TLSCredentials { try current.withLock { $0 }.loaded }
        try await withServer(
            Self.configuration(credentials),
            handler: { _ in .text("ok") },
            body: { server in
                let first = try TestCertificate.first.loaded.chain
                let second = try TestCertificate.second.loaded.chain
                let early = try await Self.connect(server)
                try await early.send(Self.request)
                #expect(try await early.receiveResponse().content == "ok")
                #expect(try await early.serverCertificate() == first.first)
                current.withLock { $0 = .second }
                try await server.reloadCertificates()
                let late = try await Self.connect(server)
                try await late.send(Self.request)
                #expect(try await late.receiveResponse().content == "ok")
                #expect(try await late.serverCertificate() == second.first)
                // The early one goes on.
                try await early.send(Self.request)
                #expect(try await early.receiveResponse().content == "ok")
            }
        )
    }

    private struct Unreadable: Error {}

    @Test func badCertificatesAreRefusedAndTheOldOnesStay() async throws {
        let current = Mutex<(@Sendable () throws -> TLSCredentials.Loaded)>({ try TestCertificate.first.loaded })
        let credentials = TLSCredentials { try current.withLock { $0 }() }
        let bad: [@Sendable () throws -> TLSCredentials.Loaded] = [
            { throw Unreadable() },
            { TLSCredentials.Loaded(chain: [], privateKey: try TestCertificate.first.loaded.privateKey) },
            { TLSCredentials.Loaded(chain: try TestCertificate.second.loaded.chain, privateKey: try TestCertificate.first.loaded.privateKey) },
        ]
        try await withServer(
            Self.configuration(credentials),
            handler: { _ in .text("ok") },
            body: { server in
                for load in bad {
                    current.withLock { $0 = load }
                    let error = try await #require(throws: HTTPServerError.self) { try await server.reloadCertificates() }
                    #expect(error.code == .invalidCertificate)
                    #expect(error.message.hasPrefix("Cannot encrypt what is sent on 127.0.0.1 port \(server.port)."))
                    let client = try await Self.connect(server)
                    try await client.send(Self.request)
                    #expect(try await client.receiveResponse().content == "ok")
                    #expect(try await client.serverCertificate() == TestCertificate.first.loaded.chain.first)
                }
            }
        )
    }

    @Test func certificatesMayComeFromElsewhereAfterAReload() async throws {
        try await withServer(
            Self.configuration(TestCertificate.first.credentials),
            handler: { _ in .text("ok") },
            body: { server in
                try await server.reloadCertificates(Self.configuration(TestCertificate.second.credentials).listeners)
                let client = try await Self.connect(server)
                try await client.send(Self.request)
                #expect(try await client.receiveResponse().content == "ok")
                #expect(try await client.serverCertificate() == TestCertificate.second.loaded.chain.first)
            }
        )
    }

    @Test func listenersWhosePortsTheSystemChoosesKeepTheirOwnCertificates() async throws {
        let listeners = [TestCertificate.first, .second].flatMap { Self.configuration($0.credentials).listeners }
        try await withServer(
            .init(listeners: listeners),
            handler: { _ in .text("ok") },
            body: { server in
                try await server.reloadCertificates(listeners)
                for (address, certificate) in zip(server.addresses, [TestCertificate.first, .second]) {
                    guard case .tcp(let host, let port) = address else { continue }
                    let context = try TestCertificate.clientContext(protocols: [])
                    let client = try await RawClient.connect(to: SocketAddress(ipAddress: host, port: port), tls: context)
                    try await client.send(Self.request)
                    #expect(try await client.receiveResponse().content == "ok")
                    #expect(try await client.serverCertificate() == certificate.loaded.chain.first)
                }
            }
        )
    }

    private struct Calendar: WallClock {
        let year: Int
        func now() -> Date { Date(timeIntervalSince1970: Double(year - 1970) * 31_556_952) }
    }

    @Test(arguments: [(2200, "The certificate has expired."), (2000, "The certificate is not valid yet.")])
    func certificateOutOfItsTimeIsUsedAndLoggedByStartAndReload(year: Int, sentence: String) async throws {
        let configuration = Self.configuration(TestCertificate.first.credentials)
        let log = Warnings()
        let server = try await HTTPServer.start(configuration, logger: log.logger, clock: Calendar(year: year)) { _ in .text("ok") }
        #expect(log.messages.value == ["Clients will refuse a certificate. \(sentence)"])
        try await server.reloadCertificates(Self.configuration(TestCertificate.second.credentials).listeners)
        #expect(log.messages.value.count == 2)
        let client = try await Self.connect(server)
        try await client.send(Self.request)
        #expect(try await client.receiveResponse().content == "ok")
        #expect(try await client.serverCertificate() == TestCertificate.second.loaded.chain.first)
        try await client.close()
        await server.shutdown(gracePeriod: .zero)
    }

    /// The warnings that a logger gets.
    private struct Warnings: Sendable {
        let messages = Shared<[String]>([])

        var logger: Logger { Logger(label: "test") { [messages] _ in Handler(messages: messages) } }

        private struct Handler: LogHandler {
            let messages: Shared<[String]>
            var logLevel = Logger.Level.warning
            var metadata: Logger.Metadata = [:]

            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }

            func log(event: LogEvent) { messages.update { $0.append("\(event.message)") } }
        }
    }

    @Test func filesThatCannotBeUsedAreNamed() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let certificate = directory.appendingPathComponent("certificate.pem")
        let key = directory.appendingPathComponent("key.pem")
        let credentials = TLSCredentials.files(certificateChainPath: certificate.path, privateKeyPath: key.path)
        func failure() async throws -> String {
            let error = try await #require(throws: HTTPServerError.self) {
                _ = try await HTTPServer.start(Self.configuration(credentials)) { _ in .text("") }
            }
            #expect(error.code == .invalidCertificate)
            return error.message
        }
        #expect(try await failure().hasSuffix("The file \(certificate.path) holds no certificate in PEM form that can be read."))
        try Data("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8).write(to: certificate)
        #expect(try await failure().hasSuffix("The file \(certificate.path) holds no certificate in PEM form that can be read."))
        try Data(TestCertificate.first.certificate.utf8).write(to: certificate)
        #expect(try await failure().hasSuffix("The file \(key.path) holds no private key in PEM form that can be read."))
        try Data(TestCertificate.second.privateKey.utf8).write(to: key)
        #expect(try await failure().hasSuffix("The certificate and the private key do not fit together, or cannot be used."))
        try Data(TestCertificate.first.privateKey.utf8).write(to: key)
        try await withServer(
            Self.configuration(credentials),
            handler: { _ in .text("ok") },
            body: { server in
                let client = try await Self.connect(server)
                try await client.send(Self.request)
                #expect(try await client.receiveResponse().content == "ok")
            }
        )
    }

    @Test func requestsInProgressEndBeforeTheServerDoes() async throws {
        let begun = Signal()
        let door = Signal()
        let server = try await HTTPServer.start(Self.configuration(TestCertificate.first.credentials)) { _ in
            begun.fire()
            await door.wait()
            return .text("done")
        }
        let client = try await Self.connect(server)
        try await client.send(Self.request)
        await begun.wait()
        async let shutdown: Void = server.shutdown(gracePeriod: .seconds(600))
        door.fire()
        let response = try await client.receiveResponse()
        #expect(response.content == "done")
        _ = try await client.receiveUntilClosed()
        try await client.close()
        await shutdown
        #expect(server.connectionCount == 0)
    }
}
