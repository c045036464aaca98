// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardProcessTestSupport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Another process of this tool. Its standard output is read line by line.
///
/// It uses no threads, because the reader of the lines also decides when to kill.
final class WorkerProcess {
    private let process: ChildProcess
    private var lines: LineReader
    private var ending: ChildProcess.Ending?

    /// Starts this executable with other arguments.
    init(_ arguments: [String]) throws(SystemFailure) {
        process = try ChildProcess(Self.executablePath, arguments)
        // The reader has its own descriptor: it reads lines even after the process has ended
        // and has given back its pipes.
        lines = LineReader(descriptor: fcntl(process.output, F_DUPFD_CLOEXEC, 0))
    }

    deinit {
        if ending == nil { _ = kill() }
        lines.close()
    }

    /// Returns the lines that have come, as soon as there are some. Returns none at the deadline or after
    /// the process has closed its output.
    func nextLines(until deadline: ContinuousClock.Instant) -> [String] {
        lines.next(until: deadline)
    }

    /// Whether the process has closed its output, and all lines were returned.
    var isAtEnd: Bool { lines.isAtEnd }

    /// Kills the process and waits for its end. A caller can still read the lines that it wrote before.
    func kill() -> ChildProcess.Ending {
        if ending == nil { process.signal(SIGKILL) }
        return wait()
    }

    /// Waits for the end of the process.
    func wait() -> ChildProcess.Ending {
        if let ending { return ending }
        let ending = process.wait()
        self.ending = ending
        return ending
    }

    /// The path of this executable's file.
    static var resolvedExecutablePath: String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard realpath(executablePath, &bytes) != nil else { return CommandLine.arguments[0] }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The path of this executable, whatever name it was called by.
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
