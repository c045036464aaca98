// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Another run of this tool, whose standard output is read line by line.
///
/// Uses no threads: whoever reads the lines also decides when to kill.
final class ChildProcess {
    enum Ending: Equatable, CustomStringConvertible {
        case exited(Int32)
        case signalled(Int32)

        var description: String {
            switch self {
            case .exited(let code): "exited with code \(code)"
            case .signalled(let number): "was ended by signal \(number) (\(String(cString: strsignal(number))))"
            }
        }
    }

    let identifier: pid_t
    private var lines: LineReader
    private var ending: Ending?

    /// Starts this executable with other arguments.
    init(_ arguments: [String]) throws(SystemFailure) {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemFailure("create a pipe", number: errno) }
        // No other child inherits this pipe, or its end would not be seen. Nothing else in this process starts children at the same time.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        do throws(SystemFailure) {
            identifier = try Self.spawn(arguments, output: ends[1])
        } catch {
            close(ends[0])
            throw error
        }
        lines = LineReader(descriptor: ends[0])
    }

    deinit {
        if ending == nil { _ = kill() }
        lines.close()
    }

    /// The lines that have come, as soon as there are some; none at the deadline or when the process has closed its output.
    func nextLines(until deadline: ContinuousClock.Instant) -> [String] {
        lines.next(until: deadline)
    }

    /// Whether the process has closed its output, and all lines were returned.
    var isAtEnd: Bool { lines.isAtEnd }

    /// Kills the process and waits for its end. The lines it wrote before can still be read.
    func kill() -> Ending {
        if ending == nil { systemKill(identifier, SIGKILL) }
        return wait()
    }

    /// Waits for the end of the process.
    func wait() -> Ending {
        if let ending { return ending }
        var status: CInt = 0
        while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
        let ending = status & 0x7f == 0 ? Ending.exited((status >> 8) & 0xff) : .signalled(status & 0x7f)
        self.ending = ending
        return ending
    }

    private static func spawn(_ arguments: [String], output: CInt) throws(SystemFailure) -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)

        let path = executablePath
        let copies = ([path] + arguments).map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        var identifier: pid_t = 0
        let number = posix_spawn(&identifier, path, &actions, nil, copies + [nil], environ)
        guard number == 0 else { throw SystemFailure("start \(path)", number: number) }
        return identifier
    }

    /// The path of this executable's file.
    static var resolvedExecutablePath: String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard realpath(executablePath, &bytes) != nil else { return CommandLine.arguments[0] }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// This executable, whatever it was called by.
    static var executablePath: String {
        #if canImport(Darwin)
            var size: UInt32 = 4096
            var bytes = [CChar](repeating: 0, count: Int(size))
            guard _NSGetExecutablePath(&bytes, &size) == 0 else { return CommandLine.arguments[0] }
            return bytes.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? CommandLine.arguments[0] }
        #else
            return "/proc/self/exe"
        #endif
    }
}

private let systemKill: @Sendable (pid_t, CInt) -> Void = { identifier, number in _ = kill(identifier, number) }
