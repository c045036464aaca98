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
import Testing

@testable import HoardProxy

/// A reload takes over certificates and the access log together or not at all.
@Suite(.timeLimit(.minutes(1))) struct CachingProxyReloadingTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private let directory: LogDirectory

    init() throws {
        directory = try LogDirectory()
        try TestCertificate.first.write(certificatePath: certificates("first"), keyPath: key("first"))
        try TestCertificate.second.write(certificatePath: certificates("second"), keyPath: key("second"))
    }

    private func certificates(_ name: String) -> String { directory.path + "/\(name).pem" }
    private func key(_ name: String) -> String { directory.path + "/\(name).key" }

    private func tls(_ name: String) -> CachingProxy.Configuration.TLS {
        .init(certificateChainPath: certificates(name), privateKeyPath: key(name))
    }

    /// Runs an encrypted proxy that shows the first certificate.
    private func withProxy(logName: String?, _ body: (CachingProxy) async throws -> Void) async throws {
        let origin = try await HTTPServer.start { _ in .text("origin") }
        var configuration = CachingProxy.Configuration(origin: try Origin("http://127.0.0.1:\(origin.port)"))
        configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0), tls: tls("first"))]
        configuration.eventLoopCount = 1
        configuration.accessLog = logName.map { .init(path: directory.path + "/" + $0) }
        let proxy = try await CachingProxy.start(configuration: configuration, stores: [], logger: Self.logger)
        let result: Result<Void, any Error>
        do { result = .success(try await body(proxy)) } catch { result = .failure(error) }
        await proxy.shutdown(gracePeriod: .zero)
        await origin.shutdown(gracePeriod: .zero)
        try result.get()
    }

    /// The status for a client that trusts one certificate only; `nil` if the proxy shows another certificate.
    private func status(of proxy: CachingProxy, path: String, trusting name: String) async throws -> Int? {
        var configuration = NIOTransport.Configuration()
        configuration.additionalTrustRootsPath = certificates(name)
        let transport = try NIOTransport(configuration: configuration)
        let authority = String(proxy.urls[0].dropFirst("https://".count))
        let request = HTTPRequest(method: .get, scheme: "https", authority: authority, path: path)
        let server = try OriginServer(scheme: "https", authority: authority)
        let response = try? await transport.send(request, body: .empty, to: server, onNewConnection: false, onInterimResponse: nil)
        _ = try await response?.body.collect(upTo: 1 << 20)
        await transport.shutdown()
        return response?.head.status.code
    }

    /// Until the line of a request is in the log: it is written after the response has been sent.
    private func waitForLine(of proxy: CachingProxy, in name: String) async throws {
        try await waitUntil {
            await proxy.recorder.accessLog?.flush()
            return try directory.lines(name).count == 1
        }
    }

    @Test func aGoodReloadTakesOverCertificatesAndLog() async throws {
        try await withProxy(logName: "old.log") { (proxy: CachingProxy) async throws in
            #expect(try await status(of: proxy, path: "/1", trusting: "first") == 200)
            try await waitForLine(of: proxy, in: "old.log")
            var configuration = proxy.configuration
            configuration.listeners[0].tls = tls("second")
            configuration.accessLog?.path = directory.path + "/new.log"
            try await proxy.reload(configuration)
            #expect(try await status(of: proxy, path: "/2", trusting: "second") == 200)
            #expect(try await status(of: proxy, path: "/3", trusting: "first") == nil)
            await proxy.shutdown(gracePeriod: .seconds(5))
            #expect(try directory.lines("old.log").map { $0.contains("/1") } == [true])
            #expect(try directory.lines("new.log").map { $0.contains("/2") } == [true])
        }
    }

    @Test(arguments: [nil, "old.log"])
    func aLogThatCannotBeOpenedKeepsTheCertificates(logName: String?) async throws {
        try await withProxy(logName: logName) { (proxy: CachingProxy) async throws in
            var configuration = proxy.configuration
            configuration.listeners[0].tls = tls("second")
            configuration.limits.connectionCount = 77
            configuration.accessLog = .init(path: directory.path + "/missing/new.log")
            await #expect(throws: ProxyError.self) { try await proxy.reload(configuration) }
            #expect(try await status(of: proxy, path: "/1", trusting: "first") == 200)
            #expect(proxy.server.maximumConnectionCount != 77)
        }
    }

    @Test func aKeyOfAnotherCertificateIsFoundByTheCheckOfFiles() throws {
        var configuration = CachingProxy.Configuration(origin: try Origin("http://a.test"))
        configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0), tls: tls("first"))]
        try CachingProxy.checkFiles(of: configuration)
        configuration.listeners[0].certificates = [
            .init(hosts: ["b.test"], tls: .init(certificateChainPath: certificates("first"), privateKeyPath: key("second")))
        ]
        let error = #expect(throws: ProxyError.self) { try CachingProxy.checkFiles(of: configuration) }
        #expect(error?.message.contains("as the key of the certificates in \(certificates("first"))") == true)
    }

    @Test func theLogCanBeOpenedAnewWithoutAReload() async throws {
        try await withProxy(logName: "a.log") { (proxy: CachingProxy) async throws in
            #expect(try await status(of: proxy, path: "/1", trusting: "first") == 200)
            try await waitForLine(of: proxy, in: "a.log")
            try FileManager.default.moveItem(atPath: directory.path + "/a.log", toPath: directory.path + "/a.log.1")
            try await proxy.reopenAccessLog()
            #expect(try await status(of: proxy, path: "/2", trusting: "first") == 200)
            await proxy.shutdown(gracePeriod: .seconds(5))
            #expect(try directory.lines("a.log.1").map { $0.contains("/1") } == [true])
            #expect(try directory.lines("a.log").map { $0.contains("/2") } == [true])
        }
    }

    @Test func certificatesThatCannotBeReadKeepTheLog() async throws {
        try await withProxy(logName: "old.log") { (proxy: CachingProxy) async throws in
            var configuration = proxy.configuration
            configuration.listeners[0].tls = tls("missing")
            configuration.limits.connectionCount = 77
            configuration.accessLog?.path = directory.path + "/new.log"
            await #expect(throws: ProxyError.self) { try await proxy.reload(configuration) }
            #expect(try await status(of: proxy, path: "/1", trusting: "first") == 200)
            #expect(proxy.server.maximumConnectionCount != 77)
            await proxy.shutdown(gracePeriod: .seconds(5))
            #expect(try directory.lines("old.log").map { $0.contains("/1") } == [true])
        }
    }
}
