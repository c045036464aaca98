// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A built program of the example, run as a user runs it.
final class ProgramProcess: Sendable {
    private let pid: Int32
    /// Its standard output, a line at a time.
    let lines: AsyncStream<String>
    private let status: AsyncStream<Int32>

    /// - Parameter input: The typed text. Afterwards the input ends.
    init(_ name: String, _ arguments: [String] = [], input: String = "") throws {
        let process = Process()
        // The directory of the test bundle is that of the build's products.
        let products = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
        process.executableURL = products.appendingPathComponent(name)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TMPDIR": FileManager.default.temporaryDirectory.path]
        let (inputPipe, outputPipe) = (Pipe(), Pipe())
        process.standardInput = inputPipe
        process.standardOutput = outputPipe
        process.standardError = outputPipe
        let (status, ended) = AsyncStream<Int32>.makeStream()
        self.status = status
        process.terminationHandler = { process in
            ended.yield(process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
            ended.finish()
        }
        try process.run()
        pid = process.processIdentifier
        inputPipe.fileHandleForWriting.write(Data(input.utf8))
        try inputPipe.fileHandleForWriting.close()
        lines = Self.lines(of: outputPipe)
    }

    deinit {
        kill(pid, SIGKILL)
    }

    /// Reads on a thread of its own, so that no test waits for the output of another process.
    private static func lines(of pipe: Pipe) -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                var rest = Data()
                while true {
                    let part = pipe.fileHandleForReading.availableData
                    if part.isEmpty { break }
                    rest.append(part)
                    while let end = rest.firstIndex(of: 10) {
                        continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                        rest = Data(rest[(end + 1)...])
                    }
                }
                if !rest.isEmpty { continuation.yield(String(decoding: rest, as: UTF8.self)) }
                continuation.finish()
            }
        }
    }

    /// Waits until the process has ended.
    ///
    /// - Returns: The lines that no call has read, and the exit code; below zero for a signal.
    func result() async -> (lines: [String], status: Int32?) {
        var all: [String] = []
        for await line in lines { all.append(line) }
        var end: Int32?
        for await status in status { end = status }
        return (all, end)
    }

    func terminate() {
        kill(pid, SIGTERM)
    }
}
