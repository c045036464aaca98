// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import Logging
import NIOCore
import NIOSSL
import Testing

@testable import HoardProxy

/// Clients that prove their identity to the proxy, and the proxy that proves its own to servers.
@Suite(.timeLimit(.minutes(2))) struct ClientCertificateTests {
    private struct Site {
        let proxy: CachingProxy
        let directory: URL

        func connect(_ identity: TestCertificate? = nil, protocols: [String] = []) async throws -> RawClient {
            try await RawClient.connect(
                to: SocketAddress(ipAddress: "127.0.0.1", port: proxy.server.port),
                tls: TestCertificate.clientContext(protocols: protocols, identity: identity)
            )
        }

        func get(_ path: String, _ identity: TestCertificate? = nil, _ fields: String = "") async throws -> String {
            let client = try await connect(identity)
            try await client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
            return try await client.receiveResponse().content
        }
    }

    /// The origin wants a certificate of `first`, and names the client in its answer. The proxy asks clients
    /// for a certificate of `second`.
    private static func with(upstream: String = "", top: String = "", _ body: (Site) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "hoard-certificates-\(UInt64.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for (name, certificate) in [("first", TestCertificate.first), ("second", .second)] {
            try Data(certificate.certificate.utf8).write(to: directory.appending(path: "\(name).pem"))
            try Data(certificate.privateKey.utf8).write(to: directory.appending(path: "\(name).key"))
        }
        let path = directory.path(percentEncoded: false)
        var listener = HTTPServer.Listener(.tcp(host: "127.0.0.1", port: 0), tls: TestCertificate.second.credentials)
        listener.tlsRules.clients = .init(isRequired: true, authorityPath: "\(path)/first.pem")
        let handler: HTTPServer.Handler = { request in
            if request.head.path == "/fields" {
                return .text(request.head.headerFields.map(\.name.canonicalName).filter { $0.contains("_") }.joined(separator: " "))
            }
            let told = request.head.headerFields[values: .clientCert].joined(separator: "|")
            let fields: HTTPFields = request.head.path == "/vary" ? [.cacheControl: "max-age=60", .vary: "Client-Cert"] : [.cacheControl: "no-store"]
            return .text("\(told) \(request.clientCertificate ?? "")", .ok, fields)
        }
        try await withServer(.init(listeners: [listener]), handler: handler) { origin in
            let text = """
                listen:
                  - address: 127.0.0.1:0
                    tls-certificates: \(path)/first.pem
                    tls-key: \(path)/first.key
                    client-authorities: \(path)/second.pem
                    client-certificates: ask
                \(top)
                upstreams:
                  - name: app
                    servers: https://127.0.0.1:\(origin.port)
                    trust-roots: \(path)/second.pem
                    tls-certificates: \(path)/first.pem
                    tls-key: \(path)/first.key
                \(upstream)
                """
            let configuration = try ProxySettings(.init(file: ("hoard.yaml", text))).configuration()
            try CachingProxy.checkFiles(of: configuration)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let proxy = try await CachingProxy.start(configuration: configuration, stores: [], logger: logger)
            let result: Result<Void, any Error>
            do { result = .success(try await body(Site(proxy: proxy, directory: directory))) } catch { result = .failure(error) }
            await proxy.shutdown(gracePeriod: .zero)
            try result.get()
        }
    }

    @Test func originIsToldOfTheCertificateAndOfNoForgedOne() async throws {
        try await Self.with { site in
            let (mine, proxys) = (try TestCertificate.second.base64, try TestCertificate.first.base64)
            let forged = "Client-Cert: :AAAA:\r\nClient-Cert-Chain: :BBBB:\r\nConnection: Client-Cert\r\n"
            for fields in ["", forged] {
                #expect(try await site.get("/", .second, fields) == ":\(mine): \(proxys)")
                #expect(try await site.get("/", nil, fields) == " \(proxys)")
            }
            let frames = try await FrameClient(site.connect(.second, protocols: ["h2"]))
            #expect(try await frames.exchange(1, FrameClient.get("/")).text == ":\(mine): \(proxys)")
        }
    }

    /// The client's identity is no part of keys.
    @Test func responseThatDependsOnTheCertificateIsForNobodyElse() async throws {
        try await Self.with { site in
            let proxys = try TestCertificate.first.base64
            #expect(try await site.get("/vary", .second).hasPrefix(":"))
            #expect(try await site.get("/vary") == " \(proxys)")
        }
    }

    @Test func serversThatAreToldOfNoClientAreToldOfNoCertificate() async throws {
        try await Self.with(upstream: "    tell-of-client: no\n") { site in
            let proxys = try TestCertificate.first.base64
            #expect(try await site.get("/", .second, "Client-Cert: :AAAA:\r\n") == " \(proxys)")
        }
    }

    /// A proxy in front has shown a certificate of its own, which is not that of its clients.
    @Test func certificateOfATrustedProxyIsNotTold() async throws {
        try await Self.with(top: "trusted-proxies: [127.0.0.1]") { site in
            let told = try await site.get("/", .second, "X-Forwarded-For: 192.0.2.1\r\n")
            #expect(told == " \(try TestCertificate.first.base64)")
        }
    }

    @Test func otherSpellingsOfTheFieldAreDroppedToo() async throws {
        try await Self.with(upstream: "    pass-underscores: yes\n") { site in
            let told = try await site.get("/fields", nil, "Client_Cert: :AAAA:\r\nclient_cert_chain: :BBBB:\r\nX_Mine: yes\r\n")
            #expect(told == "x_mine")
        }
    }

    /// A proxy whose own certificate is exchanged goes on with connections that know it.
    @Test func filesAreReadAnewByAReload() async throws {
        try await Self.with { site in
            let proxys = try TestCertificate.first.base64
            #expect(try await site.get("/") == " \(proxys)")
            let file = site.directory.appending(path: "first.key")
            let key = try Data(contentsOf: file)
            try Data("no key".utf8).write(to: file)
            await #expect(throws: ProxyError.self) { try await site.proxy.reload(site.proxy.configuration) }
            #expect(try await site.get("/") == " \(proxys)")
            // Half of a certificate and its key has been exchanged.
            try Data(TestCertificate.second.privateKey.utf8).write(to: file)
            await #expect(throws: ProxyError.self) { try await site.proxy.reload(site.proxy.configuration) }
            #expect(throws: ProxyError.self) { try CachingProxy.checkFiles(of: site.proxy.configuration) }
            try key.write(to: file)
            try await site.proxy.reload(site.proxy.configuration)
            #expect(try await site.get("/") == " \(proxys)")
            // Clients have to prove their identity from now on.
            var configuration = site.proxy.configuration
            configuration.listeners[0].clientCertificates?.isRequired = true
            #expect(try await site.proxy.reload(configuration).isEmpty)
            await #expect(throws: (any Error).self) { try await site.get("/") }
            #expect(try await site.get("/", .second).hasPrefix(":"))
        }
    }

    @Test(arguments: [
        ("listen: [{address: \":1\", client-authorities: a.pem}]\norigin: http://a", "has “client-authorities”, but is not encrypted"),
        ("listen: [{address: \":1\", tls-version: \"1.1\"}]\norigin: http://a", "“1.1” is none of 1.2, 1.3"),
        ("listen: [{address: \":1\", tls-ciphers: [RC4]}]\norigin: http://a", "“RC4” is none of TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"),
        ("upstreams: [{name: a, servers: https://a, tls-key: k}]", "has one of “tls-certificates” and “tls-key”, but needs both"),
        ("upstreams: [{name: a, servers: http://a, tls-key: k, tls-certificates: c}]", "none of its servers is an https URL"),
    ])
    func whatCannotBeMeantIsSaid(_ text: String, _ words: String) throws {
        let error = try #require(throws: ProxyError.self) { try ProxySettings(.init(file: ("hoard.yaml", text))).configuration() }
        #expect(error.message.contains(words), "\(error.message)")
    }
}
