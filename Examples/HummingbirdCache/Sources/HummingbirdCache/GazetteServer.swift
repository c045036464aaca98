// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardHTTP
internal import HoardHummingbird
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdHTTP2
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import ServiceLifecycle

/// Serves a ``Gazette`` on the loopback interface: over HTTP/1.1, or, with a certificate, over HTTP/2 and HTTP/1.1 with TLS.
actor GazetteServer {
    /// The files of a certificate chain and its private key, both PEM.
    struct Certificate: Hashable, Sendable {
        var chain: String
        var key: String
    }

    let gazette: Gazette
    let cache: HTTPCache
    private let port: Int
    private let certificate: Certificate?
    private var running: (services: ServiceGroup, task: Task<Void, Never>)?

    /// - Parameter port: The port on which to listen; 0 lets the system choose one.
    init(gazette: Gazette = Gazette(), port: Int = 0, certificate: Certificate? = nil, clock: any WallClock = SystemWallClock()) {
        self.gazette = gazette
        self.port = port
        self.certificate = certificate
        cache = HTTPCache(configuration: .server, clock: clock)
    }

    /// Starts to listen.
    ///
    /// - Returns: The port.
    func start() async throws -> Int {
        let (ports, sink) = AsyncThrowingStream<Int, any Error>.makeStream()
        let application = try application { sink.yield($0) }
        let services = ServiceGroup(configuration: .init(services: [application], logger: application.logger))
        let task = Task {
            do {
                try await services.run()
                sink.finish()
            } catch {
                sink.finish(throwing: error)
            }
        }
        running = (services, task)
        var iterator = ports.makeAsyncIterator()
        guard let port = try await iterator.next() else { throw CancellationError() }
        return port
    }

    /// Stops, and closes the cache. Requests that have begun are answered.
    ///
    /// The task is not cancelled: NIO ends the process if a server that is cancelled has accepted a connection that it does not serve yet
    /// (apple/swift-nio#2637).
    func stop() async {
        if let (services, task) = running {
            await services.triggerGracefulShutdown()
            await task.value
            running = nil
        }
        await cache.close()
    }

    /// Serves until the process is interrupted or asked to terminate.
    ///
    /// - Parameter onStart: Gets the port.
    func runUntilInterrupted(onStart: @escaping @Sendable (Int) -> Void) async throws {
        try await application(onStart: onStart).runService()
        await cache.close()
    }

    private func application(onStart: @escaping @Sendable (Int) -> Void) throws -> some ApplicationProtocol {
        var logger = Logger(label: "gazette")
        // The log says nothing of clients that leave in the middle.
        logger.logLevel = .critical
        return Application(
            router: GazetteRoutes(gazette: gazette, cache: cache).router(),
            server: try server(),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in onStart(channel.localAddress?.port ?? 0) },
            logger: logger
        )
    }

    private func server() throws -> HTTPServerBuilder {
        guard let certificate else { return .http1() }
        let chain = try NIOSSLCertificate.fromPEMFile(certificate.chain).map { NIOSSLCertificateSource.certificate($0) }
        let key = try NIOSSLPrivateKey(file: certificate.key, format: .pem)
        return try .http2Upgrade(tlsConfiguration: .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key)))
    }
}
