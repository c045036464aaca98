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

/// A server and the shell that ends it when this process has ended.
struct ServerProcess: Sendable {
    private let watcher: ChildProcess
    /// The server's process. It is the shell's child and not waited for before the shell ends: the number stays its own until then.
    let server: Int32

    /// Reads its input until it ends or says `keep`. Until then the server runs; afterwards it is killed and, unless its directory is kept, removed.
    private static let script = """
        trap '' INT TERM HUP PIPE
        exec 3<&0 2>/dev/null
        "$1" "$2/redis.conf" </dev/null >"$2/log" 2>&1 3<&- &
        server=$!
        echo "$server"
        word=
        read -r word <&3
        kill -9 "$server" 2>/dev/null
        wait "$server" 2>/dev/null
        [ "$word" = keep ] || rm -rf "$2"
        """

    init(_ program: String, directory: String) throws(SystemFailure) {
        watcher = try ChildProcess("/bin/sh", ["-c", Self.script, "sh", program, directory])
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(watcher.output, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { break }
            line.append(byte)
        }
        guard let number = pid_t(String(decoding: line, as: UTF8.self)) else {
            watcher.signal(SIGKILL)
            watcher.wait()
            throw SystemFailure("start \(program)")
        }
        server = number
    }

    /// Whether the server has ended by itself.
    var hasEnded: Bool {
        #if os(Linux)
            // A child that was not waited for is a zombie.
            return status.map { $0 == "Z" } ?? true
        #else
            return kill(server, 0) != 0
        #endif
    }

    /// Waits, a second at most, until a signal has stopped the server. Blocks. On other systems
    /// than Linux it does not wait.
    func waitUntilStopped() {
        #if os(Linux)
            for _ in 0..<2_000 where status != "T" { usleep(500) }
        #endif
    }

    /// The letter of the server's state, which follows its name.
    private var status: Character? {
        guard let text = try? String(contentsOf: "/proc/\(server)/stat") else { return nil }
        return text.split(separator: ")").last?.dropFirst().first
    }

    func signal(_ number: CInt) {
        _ = kill(server, number)
    }

    /// Kills the server and waits until it is gone. Call this once.
    func end(keepingDirectory: Bool) {
        if keepingDirectory {
            let bytes = Array("keep\n".utf8)
            _ = write(watcher.input, bytes, bytes.count)
        }
        watcher.wait()
    }
}
