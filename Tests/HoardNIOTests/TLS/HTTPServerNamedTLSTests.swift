// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import NIOSSL
import Synchronization
import Testing

@testable import HoardNIO

/// Certificates that are chosen by the host that a client names ([RFC 6066 §3](https://www.rfc-editor.org/rfc/rfc6066#section-3)).
@Suite(.timeLimit(.minutes(5)))
struct HTTPServerNamedTLSTests {
    private static func listener(_ named: [(hosts: [String], certificate: TestCertificate)], other: TestCertificate?) -> HTTPServer.Listener {
        var listener = HTTPServer.Listener(.tcp(host: "127.0.0.1", port: 0), tls: other?.credentials, isHTTP2Enabled: true)
        listener.namedTLS = named.map { .init(hosts: $0.hosts, credentials: $0.certificate.credentials) }
        return listener
    }

    private static func connect(_ server: HTTPServer, as name: String?, protocols: [String] = []) async throws -> RawClient {
        let context = try TestCertificate.clientContext(protocols: protocols, verifies: false)
        return try await RawClient.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: server.port), tls: context, serverName: name)
    }

    /// The certificate that is shown to a client that names a host, over a connection that is used; `nil`: the client is refused.
    private static func certificate(_ server: HTTPServer, for name: String?) async throws -> TestCertificate? {
        let client = try await connect(server, as: name)
        do {
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            guard try await client.receiveResponse().status == 200 else { return nil }
        } catch {
            return nil
        }
        let shown = try await client.serverCertificate()
        return try [TestCertificate.first, .second].first { try $0.loaded.chain.first == shown }
    }

    private static let handler: HTTPServer.Handler = { .text("\($0.version)") }

    @Test func eachHostHasItsCertificateAndOthersHaveTheOther() async throws {
        let second = ["b.test", "*.b.test", "*.first.c.test", "d.test."]
        let listener = Self.listener([(second, .second), (["x.b.test", "*.c.test"], .first)], other: .first)
        try await withServer(.init(listeners: [listener]), handler: Self.handler) { server in
            for name in ["b.test", "B.TEST", "y.b.test", "z.y.b.test", "deep.first.c.test", "d.test"] {
                let shown = try await Self.certificate(server, for: name)
                #expect(shown?.certificate == TestCertificate.second.certificate, "\(name)")
            }
            for name in ["x.b.test", "c.test", "first.c.test", "xb.test", "other", nil] {
                let shown = try await Self.certificate(server, for: name)
                #expect(shown?.certificate == TestCertificate.first.certificate, "\(name ?? "no name")")
            }
        }
    }

    @Test func whatIsTooLongForAHostHasNoCertificateOfItsOwn() async throws {
        let contexts = try await NamedContexts(Self.listener([(["*.b.test"], .second)], other: nil), clock: SystemWallClock())
        let longest = String(repeating: "a.", count: 123) + "b.test"
        #expect(contexts.context(forHost: "a" + longest) != nil)
        #expect(contexts.context(forHost: "aa" + longest) == nil)
    }

    @Test func withoutAnotherCertificateUnknownHostsAreRefusedByAnAlert() async throws {
        let listener = Self.listener([(["b.test"], .second)], other: nil)
        try await withServer(.init(listeners: [listener]), handler: Self.handler) { server in
            #expect(try await Self.certificate(server, for: "b.test")?.certificate == TestCertificate.second.certificate)
            #expect(try await Self.certificate(server, for: "a.test") == nil)
            #expect(try await Self.certificate(server, for: nil) == nil)
            // A client that speaks no TLS gets the alert too.
            let plain = try await RawClient.connect(port: server.port)
            try await plain.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await Array(plain.receiveUntilClosed().utf8) == [21, 3, 1, 0, 2, 2, 112])
            #expect(try await Self.certificate(server, for: "b.test") != nil)
        }
    }

    @Test func http2IsAgreedOnWhateverTheCertificate() async throws {
        let listener = Self.listener([(["b.test"], .second)], other: .first)
        try await withServer(.init(listeners: [listener]), handler: Self.handler) { server in
            for name in ["a.test", "b.test"] {
                let client = try await FrameClient(Self.connect(server, as: name, protocols: ["h2", "http/1.1"]))
                #expect(try await client.exchange(1, FrameClient.get("/")).text == "HTTP/2.0")
            }
        }
    }

    @Test func clientThatSaysNothingIsClosedAfterAWhile() async throws {
        var configuration = HTTPServer.Configuration(listeners: [Self.listener([(["b.test"], .second)], other: .first)])
        configuration.headTimeout = .milliseconds(50)
        try await withServer(configuration, handler: Self.handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(ByteBuffer(bytes: [22, 3, 1, 1]))
            // A server that has not read the bytes yet resets the connection.
            let received = try? await client.receiveUntilClosed()
            #expect(received ?? "" == "")
        }
    }

    @Test func reloadExchangesCertificatesAndHostsOrNothing() async throws {
        let before = Self.listener([(["b.test"], .second)], other: .first)
        try await withServer(.init(listeners: [before]), handler: Self.handler) { server in
            try await server.reloadCertificates([Self.listener([(["c.test"], .second)], other: nil)])
            #expect(try await Self.certificate(server, for: "c.test")?.certificate == TestCertificate.second.certificate)
            #expect(try await Self.certificate(server, for: "b.test") == nil)
            var bad = Self.listener([(["b.test"], .second)], other: .first)
            let mixedUp = TLSCredentials {
                .init(chain: try TestCertificate.second.loaded.chain, privateKey: try TestCertificate.first.loaded.privateKey)
            }
            bad.namedTLS.append(.init(hosts: ["d.test"], credentials: mixedUp))
            let error = await #expect(throws: HTTPServerError.self) { try await server.reloadCertificates([bad]) }
            #expect(error?.code == .invalidCertificate && error?.message.contains("d.test") == true, "\(error?.message ?? "")")
            #expect(try await Self.certificate(server, for: "c.test") != nil)
        }
    }

    @Test func anExpiredCertificateKeepsNoOtherFromBeingExchanged() async throws {
        try await withServer(.init(listeners: [Self.listener([(["b.test"], .first)], other: .first)]), handler: Self.handler) { server in
            try await server.reloadCertificates([Self.listener([(["d.test"], .expired), (["b.test"], .second)], other: .first)])
            #expect(try await Self.certificate(server, for: "b.test")?.certificate == TestCertificate.second.certificate)
        }
    }

    /// As many hosts as a larger site has, exchanged again and again while clients connect.
    @Test func manyCertificatesAreExchangedWhileClientsConnect() async throws {
        let hosts = (0..<100).map { "host\($0).test" }
        func listener(_ turn: Int) -> HTTPServer.Listener {
            Self.listener(hosts.enumerated().map { ([$1], ($0 + turn).isMultiple(of: 2) ? .first : .second) }, other: nil)
        }
        try await withServer(.init(listeners: [listener(0)]), handler: Self.handler) { server in
            let (handshakes, exchanges) = (Counter(), Counter())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<8 {
                    group.addTask {
                        // Clients go on connecting until the certificates have been exchanged twice, however long one exchange takes.
                        var number = 0
                        while number < 25 || exchanges.value < 2 {
                            try Task.checkCancellation()
                            let shown = try await Self.certificate(server, for: hosts[(worker * 25 + number * 7) % hosts.count])
                            #expect(shown != nil)
                            handshakes.add()
                            number += 1
                        }
                    }
                }
                var turn = 0
                while turn < 2 || (handshakes.value < 200 && turn < 1_000) {
                    turn += 1
                    try await server.reloadCertificates([listener(turn)])
                    exchanges.add()
                }
                try await group.waitForAll()
            }
        }
    }
}
