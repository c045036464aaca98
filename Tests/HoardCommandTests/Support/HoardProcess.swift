// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardProcessTestSupport
import Synchronization
import Testing

/// The built `hoard` command, run as a user runs it.
final class HoardProcess: Sendable {
    struct Result {
        let status: Int32
        let output: Data
        let errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
    }

    struct NoSuchLine: Error, CustomStringConvertible {
        let description: String
    }

    /// The directory of the test bundle is that of the build's products.
    static var executable: URL {
        URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent().appendingPathComponent("hoard")
    }

    private let pid: Int32
    private let exit = ExitWatch()
    private let errors = LineCollector()
    private let output = LineCollector()

    /// Starts the command with an environment that names no directories of the user.
    convenience init(_ arguments: [String], environment: [String: String] = [:], through wrapper: [String] = []) throws {
        try self.init(command: wrapper + [Self.executable.path] + arguments, environment: environment)
    }

    /// Starts any program, given by its path.
    init(command: [String], environment: [String: String] = [:]) throws {
        let process = try ChildProcess(
            command[0],
            Array(command.dropFirst()),
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"].merging(environment) { $1 },
            errors: .separate
        )
        pid = process.identifier
        for (end, collector) in [(process.output, output), (process.errors, errors)] {
            // The collector has a descriptor of its own, since a child of the process may write
            // on when the process has ended.
            guard let end else { continue }
            collector.read(FileHandle(fileDescriptor: fcntl(end, F_DUPFD_CLOEXEC, 0), closeOnDealloc: true))
        }
        let exit = exit
        Thread.detachNewThread {
            // Its standard input is empty: waiting closes it.
            switch process.wait() {
            case .exited(let code): exit.ended(code)
            case .signalled(let number): exit.ended(-number)
            }
        }
    }

    deinit {
        kill(pid, SIGKILL)
    }

    /// Runs the command in a shell, with its output and input going where `redirection` says. A bash whose input is a
    /// socket would read the settings of a user.
    static func run(_ arguments: [String], redirection: String) async throws -> Result {
        try await HoardProcess(arguments, through: ["/bin/bash", "--norc", "-c", "set -o pipefail; \"$0\" \"$@\" \(redirection)"]).result()
    }

    /// Runs the command until its reader has taken ten bytes and closed the pipe: it has to end with an error, and not by a crash.
    static func expectNoCrashOnClosedPipe(_ arguments: String...) async throws {
        let result = try await run(arguments, redirection: "| head -c 10 >/dev/null")
        #expect(result.status == 1)
        #expect(!result.errors.contains("Fatal"))
    }

    /// Runs the command to its end.
    static func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Result {
        try await HoardProcess(arguments, environment: environment).result()
    }

    /// Waits until the process has ended and everything it wrote has been read.
    func result() async -> Result {
        let output = await output.all()
        let errors = await errors.all()
        let status = await exit.status()
        return Result(status: status, output: output, errors: String(decoding: errors, as: UTF8.self))
    }

    func signal(_ number: Int32) {
        kill(pid, number)
    }

    var processIdentifier: Int32 { pid }

    /// Waits for a line on standard error that holds `text`.
    func errorLine(holding text: String) async throws -> String {
        guard let line = await errors.line(holding: text) else {
            let all = String(decoding: await errors.all(), as: UTF8.self)
            throw NoSuchLine(description: "no line with “\(text)” in:\n\(all)")
        }
        return line
    }

    /// Waits for text on standard error, such as a question, which no end of a line follows.
    func errorText(holding text: String) async throws {
        guard await errors.holds(text) else {
            let all = String(decoding: await errors.all(), as: UTF8.self)
            throw NoSuchLine(description: "no “\(text)” in:\n\(all)")
        }
    }

    /// Starts `hoard proxy` on a free port and waits until it serves.
    ///
    /// - Returns: The process and the address it serves.
    static func proxy(origin: String, directory: String, _ others: String..., through wrapper: [String] = []) async throws -> (HoardProcess, String) {
        let process = try HoardProcess(
            ["proxy", "--origin", origin, "--listen", "127.0.0.1:0", "--directory", directory] + others,
            through: wrapper
        )
        let line = try await process.errorLine(holding: "serving http://")
        guard let address = line.split(separator: " ").first(where: { $0.hasPrefix("http://") }) else {
            throw NoSuchLine(description: "no address in: \(line)")
        }
        return (process, String(address))
    }
}

/// Collects the bytes that a pipe delivers, and lets tasks wait for lines of it.
private final class LineCollector: Sendable {
    private struct State {
        var data = Data()
        var hasEnded = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Reads on a thread of its own, so that no test waits for the output of another process.
    func read(_ handle: FileHandle) {
        Thread.detachNewThread {
            while true {
                let part = handle.availableData
                let waiters = self.state.withLock { state in
                    state.data.append(part)
                    state.hasEnded = part.isEmpty
                    defer { state.waiters = [] }
                    return state.waiters
                }
                for waiter in waiters { waiter.resume() }
                if part.isEmpty { return }
            }
        }
    }

    /// Everything, once the other side has closed the pipe.
    func all() async -> Data {
        while true {
            let (data, hasEnded) = state.withLock { ($0.data, $0.hasEnded) }
            if hasEnded { return data }
            await change(from: data.count)
        }
    }

    /// The first line with the text; `nil` if the pipe is closed before one has come.
    func line(holding text: String) async -> String? {
        while true {
            let (data, hasEnded) = state.withLock { ($0.data, $0.hasEnded) }
            let lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            // The last line may not be complete yet.
            if let line = lines.dropLast(hasEnded ? 0 : 1).first(where: { $0.contains(text) }) { return String(line) }
            if hasEnded { return nil }
            await change(from: data.count)
        }
    }

    /// Whether the text comes before the pipe is closed.
    func holds(_ text: String) async -> Bool {
        while true {
            let (data, hasEnded) = state.withLock { ($0.data, $0.hasEnded) }
            if String(decoding: data, as: UTF8.self).contains(text) { return true }
            if hasEnded { return false }
            await change(from: data.count)
        }
    }

    private func change(from count: Int) async {
        await withCheckedContinuation { continuation in
            let hasChanged = state.withLock { state in
                guard state.data.count == count, !state.hasEnded else { return true }
                state.waiters.append(continuation)
                return false
            }
            if hasChanged { continuation.resume() }
        }
    }
}

/// Lets tasks wait for the end of a process.
private final class ExitWatch: Sendable {
    private struct State {
        var status: Int32?
        var waiters: [CheckedContinuation<Int32, Never>] = []
    }

    private let state = Mutex(State())

    func ended(_ status: Int32) {
        let waiters = state.withLock { state in
            state.status = status
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: status) }
    }

    func status() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status = state.withLock { state in
                if state.status == nil { state.waiters.append(continuation) }
                return state.status
            }
            if let status { continuation.resume(returning: status) }
        }
    }
}
