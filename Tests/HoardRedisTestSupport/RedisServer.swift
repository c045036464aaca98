// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardNIOTestSupport
import HoardProcessTestSupport
@_spi(Client) package import HoardRedis
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A private server of Redis or Valkey for tests: on a port of its own and a Unix socket, in a directory of its own, without persistence.
///
/// It ends with ``stop()``, when no code refers to it any more, and with this process however that ends: a shell
/// that waits for the end of a pipe then kills it and removes the directory.
package final class RedisServer: Sendable {
    private struct State {
        var process: ServerProcess?
        var isPaused = false
    }

    package let options: Options
    /// Its own directory, with the socket and the log.
    package let directory: String
    /// The address on loopback at which it listens.
    package var address: RedisConfiguration.Address { .tcp(host: "127.0.0.1", port: ports.plain) }
    /// The port of ``address``.
    package var port: Int { ports.plain }
    /// The address at which it listens with TLS, if it has a certificate.
    package var tlsAddress: RedisConfiguration.Address? { ports.tls.map { .tcp(host: "127.0.0.1", port: $0) } }
    /// The same server by a Unix socket.
    package var unixAddress: RedisConfiguration.Address { .unix(path: socketPath) }
    var socketPath: String { directory + "/socket" }

    private let ports: Ports
    private let controlPassword: String
    private let state = Mutex(State())

    /// Starts a server and waits until it answers. May suspend.
    package static func start(_ options: Options = Options()) async throws -> RedisServer {
        // Another process may take a port between the moment it is found free and the moment the server listens on it.
        for _ in 0..<5 {
            let server = try RedisServer(options)
            if try await server.launch() { return server }
        }
        throw SystemFailure("no port for redis-server is free")
    }

    private init(_ options: Options) throws {
        guard let port = SocketCalls.freePort() else { throw SystemFailure("no port is free") }
        let tlsPort = options.certificate == nil ? nil : SocketCalls.freePort()
        ports = Ports(plain: port, tls: tlsPort)
        controlPassword = "\(UInt64.random(in: 0...UInt64.max))"
        directory = try Self.makeDirectory()
        self.options = options
        try writeFiles()
    }

    deinit {
        stop()
    }

    /// Ends the server, gracefully or not, and removes its directory. Calling it again does nothing.
    package func stop() {
        state.withLock { state in
            state.process?.end(keepingDirectory: false)
            state.process = nil
        }
        // A killed server has left its directory.
        Self.removeDirectory(directory)
    }

    /// Ends the server at once, as a crash would (`SIGKILL`). Its memory is gone.
    package func kill() {
        state.withLock { state in
            state.process?.end(keepingDirectory: true)
            state.process = nil
        }
    }

    /// Starts the server again where it was, empty. Kills it first if it runs. May suspend.
    package func restart() async throws {
        kill()
        let deadline = ContinuousClock.now + .seconds(10)
        // The port may be in use for a moment yet.
        while try await !launch() {
            guard .now < deadline else { throw SystemFailure("redis-server does not start again; see \(directory)/log") }
        }
    }

    /// Stops the server without ending it (`SIGSTOP`): connections stay, and nothing is answered from when this returns.
    package func pause() {
        state.withLock { state in
            state.process?.signal(SIGSTOP)
            state.process?.waitUntilStopped()
            state.isPaused = true
        }
    }

    /// Lets the server go on after ``pause()``.
    package func resume() {
        state.withLock { state in
            state.process?.signal(SIGCONT)
            state.isPaused = false
        }
    }

    /// The number of the server's process, if it runs.
    package var processIdentifier: Int32? { state.withLock { $0.process?.server } }

    /// Sends a command on a connection of its own, as a user with all rights. Blocks; five seconds at most.
    ///
    /// - Throws: ``SystemFailure`` if there is no reply. An error that the server reports is a value.
    @discardableResult
    package func command(_ words: String...) throws -> ControlReply {
        try command(words)
    }

    @discardableResult
    package func command(_ words: [String]) throws -> ControlReply {
        guard var connection = ControlConnection(unixPath: socketPath) else { throw SystemFailure("no server answers at its socket") }
        let greeting = try connection.send(["AUTH", "control", controlPassword])
        guard greeting == .text("OK") else { throw SystemFailure("the server does not accept its test: \(greeting.description)") }
        return try connection.send(words)
    }

    /// A number in the report of `INFO`, such as `used_memory`.
    package func information(_ name: String) throws -> String? {
        let prefix = name + ":"
        return try command("INFO", "everything").description.split(whereSeparator: \.isNewline).first { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count)) }
    }

    /// `false` if the port was taken.
    private func launch() async throws -> Bool {
        guard let program = Self.program else { throw SystemFailure(Self.requirement) }
        let process = try ServerProcess(program, directory: directory)
        let deadline = ContinuousClock.now + .seconds(20)
        while .now < deadline {
            if isAnswering() {
                state.withLock { $0.process = process }
                return true
            }
            if process.hasEnded {
                let log = (try? String(contentsOf: directory + "/log")) ?? ""
                process.end(keepingDirectory: true)
                if log.contains("Address already in use") { return false }
                throw SystemFailure("redis-server ended at once:\n\(log.suffix(2000))")
            }
            try await Task.sleep(for: .milliseconds(3))
        }
        process.end(keepingDirectory: true)
        throw SystemFailure("redis-server does not answer; see \(directory)/log")
    }

    private func isAnswering() -> Bool {
        (try? command("PING")) == .text("PONG")
    }

    private func writeFiles() throws {
        let control = "control on >\(controlPassword) ~* &* +@all"
        let lines = options.configuration(directory: directory, ports: ports, control: control)
        try (lines.joined(separator: "\n") + "\n").write(to: directory + "/redis.conf")
        guard let certificate = options.certificate else { return }
        try certificate.certificate.write(to: directory + "/certificate.pem")
        try certificate.privateKey.write(to: directory + "/key.pem")
        try TestCertificate.first.certificate.write(to: directory + "/trusted.pem")
    }
}
