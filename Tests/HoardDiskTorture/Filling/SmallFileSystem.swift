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

/// A file system of a few megabytes that only this process and its children see. It disappears
/// with them, however they end.
enum SmallFileSystem {
    static let byteCount = 24 << 20

    /// The command that runs another command in a place where it may mount file systems without
    /// an effect on other processes.
    ///
    /// `unshare` of util-linux makes a mount namespace, and for users other than root also a
    /// user namespace around it.
    static var wrapper: [String] {
        ["unshare", "--mount"] + (geteuid() == 0 ? [] : ["--user", "--map-root-user"])
    }

    /// Mounts an empty file system on a directory that exists.
    static func mount(on directory: String) throws(SystemFailure) {
        try run(["mount", "-t", "tmpfs", "-o", "size=\(byteCount),mode=0700", "tmpfs", directory])
    }

    /// Takes the file system away from the directory. The file system disappears when the last file on it is closed.
    static func unmount(_ directory: String) throws(SystemFailure) {
        try run(["umount", "-l", directory])
    }

    /// The reason why this process cannot use such a file system, or `nil`.
    static func obstacle(mountingOn directory: String) -> String? {
        #if os(Linux)
            do throws(SystemFailure) {
                try run(wrapper + ["mount", "-t", "tmpfs", "-o", "size=\(byteCount)", "tmpfs", directory])
                return nil
            } catch {
                return "no small file system can be mounted here: \(error)"
            }
        #else
            return "it needs the mount namespaces of Linux"
        #endif
    }

    /// Runs a command of the system to its end.
    private static func run(_ command: [String]) throws(SystemFailure) {
        let copies = command.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        var identifier: pid_t = 0
        let number = posix_spawnp(&identifier, command[0], nil, nil, copies + [nil], environ)
        guard number == 0 else { throw SystemFailure("run \(command[0])", number: number) }
        var status: CInt = 0
        while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
        guard status == 0 else { throw SystemFailure("\(command.joined(separator: " ")) did not succeed") }
    }

    /// Replaces this process by another run of itself inside the namespace, with these arguments.
    static func enter(_ arguments: [String]) -> SystemFailure {
        let command = wrapper + [WorkerProcess.resolvedExecutablePath] + arguments
        let copies = command.map { strdup($0) }
        execvp(command[0], copies + [nil])
        return SystemFailure("run \(command[0])", number: errno)
    }
}
