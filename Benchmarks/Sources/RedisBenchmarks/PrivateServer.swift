// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A server of Redis for the measurements: on loopback, with nothing kept on disk, in a directory of its own.
final class PrivateServer {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let port: Int
    let securePort: Int
    private let directory: URL
    private let process: Process

    /// The file of the certificate that clients have to trust.
    var certificatePath: String { directory.appending(path: "certificate.pem").path }

    /// Starts a server, and waits until it answers.
    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "hoard-redis-benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        port = Int.random(in: 20_000..<30_000)
        securePort = port + 1
        let certificate = directory.appending(path: "certificate.pem").path
        let key = directory.appending(path: "key.pem").path
        try run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate,
            ]
        )
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            ProcessInfo.processInfo.environment["HOARD_REDIS_SERVER"] ?? "redis-server", "--bind", "127.0.0.1", "--port", "\(port)", "--tls-port",
            "\(securePort)", "--tls-cert-file", certificate, "--tls-key-file", key, "--tls-auth-clients", "no", "--save", "", "--appendonly", "no",
            "--dir", directory.path,
        ]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        for _ in 0..<100 {
            if (try? run("redis-cli", ["-p", "\(port)", "ping"]).contains("PONG")) == true { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        stop()
        throw Failure(description: "The server does not answer on port \(port).")
    }

    /// The rate that redis-benchmark, which comes with the server, achieves with one connection: GETs in a second.
    func referenceRate(pipeline: Int, byteCount: Int, requestCount: Int) throws -> Double {
        let text = try run(
            "redis-benchmark",
            ["-p", "\(port)", "-c", "1", "-P", "\(pipeline)", "-t", "get", "-d", "\(byteCount)", "-n", "\(requestCount)", "--csv"]
        )
        let fields = text.split(separator: "\n").last?.split(separator: ",") ?? []
        guard fields.count > 1, let rate = Double(fields[1].trimmingCharacters(in: ["\""])) else {
            throw Failure(description: "redis-benchmark printed something else than expected.")
        }
        return rate
    }

    func stop() {
        // A child of a thread of the concurrency runtime may have inherited blocked signals. The
        // system cannot block this signal.
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(at: directory)
    }
}

/// Runs a program to its end.
/// - Returns: Its standard output.
@discardableResult
private func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw PrivateServer.Failure(description: "\(program) has failed.") }
    return String(decoding: data, as: UTF8.self)
}
