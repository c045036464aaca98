// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import HoardHTTP
internal import HoardHummingbird
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import NIOPosix

/// A server on loopback whose handlers answer with 1 KiB at once. It prints its port.
enum Server {
    static func run(_ arrangement: Arrangement) async throws {
        let router = Router()
        let caching = HTTPCacheMiddleware<BasicRequestContext>()
        if arrangement == .middleware { router.add(middleware: caching) }
        let content = ByteBuffer(repeating: 0x61, count: 1_024)
        router.get("stored/:id") { _, _ in
            Response(status: .ok, headers: [.cacheControl: "max-age=3600", .contentType: "text/plain"], body: .init(byteBuffer: content))
        }
        router.get("no-store/:id") { _, _ in
            Response(status: .ok, headers: [.cacheControl: "no-store", .contentType: "text/plain"], body: .init(byteBuffer: content))
        }
        let responder = router.buildResponder()
        if arrangement == .responder {
            try await serve(caching.responder(around: responder))
        } else {
            try await serve(responder)
        }
    }

    private static func serve(_ responder: some HTTPResponder<BasicRequestContext>) async throws {
        var logger = Logger(label: "server")
        logger.logLevel = .error
        let application = Application(
            responder: responder,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                FileHandle.standardOutput.write(Data("\(channel.localAddress?.port ?? 0)\n".utf8))
            },
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup(numberOfThreads: 1)),
            logger: logger
        )
        try await application.run()
    }
}

/// This program again, as a server on the first processor.
final class ServerProcess {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let port: Int
    private let process = Process()

    init(_ arrangement: Arrangement) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let program = CommandLine.arguments.first.map { URL(filePath: $0).path } ?? ""
        process.arguments = ["taskset", "-c", "0", program, "--serve", arrangement.rawValue]
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)), port > 0 else {
            kill(process.processIdentifier, SIGKILL)
            throw Failure(description: "The server did not say its port. Is there a program `taskset`?")
        }
        self.port = port
    }

    func stop() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
