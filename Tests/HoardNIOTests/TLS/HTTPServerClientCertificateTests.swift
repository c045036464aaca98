// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardNIO
import HoardNIOTestSupport
import NIOCore
import NIOSSL
import Testing

/// Demands of a listener on encrypted connections, beside its own certificates.
@Suite(.timeLimit(.minutes(2)))
struct HTTPServerClientCertificateTests {
    private static let handler: HTTPServer.Handler = { .text("\($0.version) \($0.clientCertificate ?? "none")") }

    private static func listener(_ change: (inout TLSRules) -> Void) -> HTTPServer.Listener {
        var listener = HTTPServer.Listener(.tcp(host: "127.0.0.1", port: 0), tls: TestCertificate.first.credentials, isHTTP2Enabled: true)
        change(&listener.tlsRules)
        return listener
    }

    private static func authority(_ certificate: TestCertificate, isRequired: Bool) -> TLSRules.Clients {
        .init(isRequired: isRequired) { try NIOSSLCertificate.fromPEMBytes(Array(certificate.certificate.utf8)) }
    }

    /// The answer to a client; `nil` if it is refused.
    private static func answer(
        _ server: HTTPServer,
        _ identity: TestCertificate? = nil,
        protocols: [String] = [],
        _ change: (inout TLSConfiguration) -> Void = { _ in }
    ) async throws -> String? {
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: server.port)
        let tls = try TestCertificate.clientContext(protocols: protocols, identity: identity, change)
        do {
            // With TLS 1.3 a client learns of its refusal after the handshake.
            let client = try await RawClient.connect(to: address, tls: tls)
            if protocols == ["h2"] { return try await FrameClient(client).exchange(1, FrameClient.get("/")).text }
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return try await client.receiveResponse().content
        } catch {
            return nil
        }
    }

    @Test(arguments: [true, false]) func clientProvesWhoItIs(isRequired: Bool) async throws {
        let listener = Self.listener { $0.clients = Self.authority(.second, isRequired: isRequired) }
        try await withServer(.init(listeners: [listener]), handler: Self.handler) { server in
            let certificate = try TestCertificate.second.base64
            #expect(try await Self.answer(server, .second) == "HTTP/1.1 \(certificate)")
            #expect(try await Self.answer(server, .second, protocols: ["h2"]) == "HTTP/2.0 \(certificate)")
            #expect(try await Self.answer(server, .second) { $0.maximumTLSVersion = .tlsv12 } == "HTTP/1.1 \(certificate)")
            // A certificate of another authority.
            #expect(try await Self.answer(server, .first) == nil)
            #expect(try await Self.answer(server) == (isRequired ? nil : "HTTP/1.1 none"))
        }
    }

    @Test func authoritiesAreExchangedByAReload() async throws {
        let before = Self.listener { $0.clients = Self.authority(.second, isRequired: true) }
        try await withServer(.init(listeners: [before]), handler: Self.handler) { server in
            try await server.reloadCertificates([Self.listener { $0.clients = Self.authority(.first, isRequired: true) }])
            #expect(try await Self.answer(server, .second) == nil)
            #expect(try await Self.answer(server, .first) != nil)
            let none = Self.listener { $0.clients = .init(isRequired: true) { [] } }
            let error = await #expect(throws: HTTPServerError.self) { try await server.reloadCertificates([none]) }
            #expect(error?.message.contains("no authority") == true, "\(error?.message ?? "")")
            #expect(try await Self.answer(server, .first) != nil)
            try await server.reloadCertificates([Self.listener { _ in }])
            #expect(try await Self.answer(server, .first) == "HTTP/1.1 none")
        }
    }

    @Test func olderVersionsAndOtherCiphersAreRefused() async throws {
        let listener = Self.listener { $0.minimumVersion = .tls13 }
        try await withServer(.init(listeners: [listener]), handler: Self.handler) { server in
            let older = try await Self.answer(server) { $0.maximumTLSVersion = .tlsv12 }
            #expect(older == nil)
            #expect(try await Self.answer(server) != nil)
        }
        let strong = Self.listener { $0.cipherSuites = [.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384] }
        try await withServer(.init(listeners: [strong]), handler: Self.handler) { server in
            for (cipher, isAnswered) in [
                (NIOTLSCipher.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, false), (.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, true),
            ] {
                let answer = try await Self.answer(server) { configuration in
                    configuration.maximumTLSVersion = .tlsv12
                    configuration.cipherSuiteValues = [cipher]
                }
                #expect((answer != nil) == isAnswered)
            }
        }
    }
}
