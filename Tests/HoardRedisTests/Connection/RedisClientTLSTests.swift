// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardNIOTestSupport
@_spi(Client) import HoardRedis
import HoardRedisTestSupport
import NIOCore
import Testing

/// Encrypted connections to a real server.
@Suite(.enabled(if: RedisServer.isAvailable, "\(RedisServer.requirement)"), .timeLimit(.minutes(2))) struct RedisClientTLSTests {
    private func withServer(
        _ certificate: TestCertificate = .first,
        verifiesClients: Bool = false,
        _ body: (RedisServer, RedisConfiguration) async throws -> Void
    ) async throws {
        let server = try await RedisServer.start(RedisServer.Options(certificate: certificate, verifiesClients: verifiesClients))
        var configuration = RedisConfiguration(address: server.tlsAddress ?? server.address).patient
        var tls = RedisConfiguration.TLS()
        tls.additionalTrustRootsPath = server.directory + "/certificate.pem"
        configuration.tls = tls
        try await body(server, configuration)
        server.stop()
    }

    private func code(_ configuration: RedisConfiguration) async -> RedisError.Code? {
        do {
            let client = try RedisClient(configuration)
            let reply = try await client.send(RedisCommand("PING"))
            #expect(reply == .simpleString("PONG"))
            return nil
        } catch {
            return error.code
        }
    }

    @Test func aTrustedCertificateIsAccepted() async throws {
        try await withServer { _, configuration in
            #expect(await code(configuration) == nil)
            let client = try RedisClient(configuration)
            let bytes = ByteBuffer(repeating: 7, count: 1_000_000)
            #expect(try await client.send(RedisCommand("SET", key: .string("a"), [.buffer(bytes)])) == .simpleString("OK"))
            #expect(try await client.send(RedisCommand("GET", key: .string("a"))) == .bulkString(bytes))
            await client.close()
        }
    }

    @Test func aCertificateThatNobodyTrustsIsRefusedUnlessThatIsSaid() async throws {
        try await withServer(.second) { _, configuration in
            var configuration = configuration
            configuration.tls = RedisConfiguration.TLS()
            #expect(await code(configuration) == .tlsFailed)
            configuration.tls?.verification = .trustOnly
            #expect(await code(configuration) == .tlsFailed)
            configuration.tls?.verification = .none
            #expect(await code(configuration) == nil)
        }
    }

    @Test func anExpiredCertificateIsRefused() async throws {
        try await withServer(.expired) { _, configuration in #expect(await code(configuration) == .tlsFailed) }
    }

    @Test func aCertificateForAnotherNameIsRefused() async throws {
        try await withServer { server, configuration in
            var configuration = configuration
            // An address for which the certificate is not valid either.
            guard case .tcp(_, let port) = server.tlsAddress?.base else { throw RedisError(.invalidConfiguration, "The server has no port for TLS.") }
            configuration.address = .tcp(host: "127.0.0.2", port: port)
            configuration.tls?.serverName = "redis.example"
            let refusal = await code(configuration)
            #expect(refusal == .tlsFailed)
            configuration.tls?.verification = .trustOnly
            #expect(await code(configuration) == nil)
            configuration.tls?.verification = .full
            configuration.tls?.serverName = "localhost"
            #expect(await code(configuration) == nil)
        }
    }

    @Test func aServerWithoutEncryptionIsNotSpokenTo() async throws {
        try await withServer { server, configuration in
            var configuration = configuration
            configuration.address = server.address
            // The server takes the bytes for a command, and waits for its end.
            configuration.connectTimeout = .milliseconds(500)
            let code = await code(configuration)
            #expect(code == .tlsFailed || code == .connectionFailed)
        }
    }

    @Test func aServerMayAskForACertificate() async throws {
        try await withServer(verifiesClients: true) { server, configuration in
            var configuration = configuration
            let code = await code(configuration)
            #expect(code == .tlsFailed || code == .connectionFailed)
            configuration.tls?.certificatePath = server.directory + "/certificate.pem"
            configuration.tls?.privateKeyPath = server.directory + "/key.pem"
            #expect(await self.code(configuration) == nil)
        }
    }

    @Test func filesThatCannotBeReadAreToldAtOnce() throws {
        for path: WritableKeyPath<RedisConfiguration.TLS, String?> in [\.additionalTrustRootsPath, \.certificatePath, \.privateKeyPath] {
            var tls = RedisConfiguration.TLS()
            tls[keyPath: path] = "/nowhere/at/all.pem"
            var configuration = RedisConfiguration(address: .tcp(host: "localhost", port: 1))
            configuration.tls = tls
            let error = #expect(throws: RedisError.self) { try RedisClient(configuration) }
            #expect(error?.code == .tlsFailed)
        }
    }
}
