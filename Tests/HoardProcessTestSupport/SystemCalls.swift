// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Calls of the system that take pointers. They are unsafe because C's interfaces are. Each pointer is
/// valid for the one call that gets it.
enum SystemCalls {
    /// Starts a program whose standard input and output are the two descriptors.
    ///
    /// This does not use Foundation's `Process`. To learn which descriptors are open, that class copies whole entries
    /// of a directory, also the last ones of a buffer, beyond its end. With some thousand open descriptors that has
    /// ended the tests with a fault (Swift 6.3).
    ///
    /// - Parameters:
    ///   - environment: The environment, or `nil` for that of this process.
    ///   - errors: The standard error, or `nil` for that of this process.
    /// - Returns: The process; a `number` other than 0 is the error.
    static func spawn(
        _ program: String,
        _ arguments: [String],
        environment: [String: String]?,
        input: CInt,
        output: CInt,
        errors: CInt?
    ) -> (identifier: pid_t, number: CInt) {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The threads of Dispatch block all signals, and a child inherits that. A shell would then never
        // hear that its own child has ended.
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        if let errors { posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }
        // The child inherits nothing else: if another process reads a pipe to its end, the pipe
        // must not stay open in a server.
        #if canImport(Darwin)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_CLOEXEC_DEFAULT))
            posix_spawn_file_actions_addinherit_np(&actions, STDERR_FILENO)
        #else
            for descriptor in descriptorsToClose() { posix_spawn_file_actions_addclose(&actions, descriptor) }
        #endif
        let copies = ([program] + arguments).map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let variables = environment.map { $0.map { strdup("\($0)=\($1)") } } ?? []
        defer { for variable in variables { free(variable) } }
        var identifier: pid_t = 0
        let number =
            if environment == nil {
                posix_spawn(&identifier, program, &actions, &attributes, copies + [nil], environ)
            } else {
                posix_spawn(&identifier, program, &actions, &attributes, copies + [nil], variables + [nil])
            }
        return (identifier, number)
    }

    #if !canImport(Darwin)
        /// The descriptors that can be open when a child starts. Those that are not open do no harm.
        ///
        /// A list of the open descriptors would miss a socket that another thread opens meanwhile. The child
        /// would have the socket as long as it lives, and a caller that waits for the end of that connection
        /// would wait as long. A new descriptor has the lowest free number, so the numbers of new descriptors are
        /// below the greatest, or not far beyond it.
        private static func descriptorsToClose() -> Range<CInt> {
            var greatest = STDERR_FILENO
            if let directory = opendir("/proc/self/fd") {
                while let entry = readdir(directory) {
                    let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                    greatest = max(greatest, CInt(name) ?? 0)
                }
                closedir(directory)
            }
            var limit = rlimit()
            guard getrlimit(.init(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return STDERR_FILENO + 1..<greatest + 1 }
            // It is an error to close a descriptor beyond the limit.
            return STDERR_FILENO + 1..<max(STDERR_FILENO + 1, CInt(min(UInt64(limit.rlim_cur), UInt64(greatest) + 1_024)))
        }
    #endif

    /// Creates a pipe: the reading end gets the bytes that are written to the other end. No child inherits either
    /// end. Returns `nil` if there can be no pipe.
    static func makePipe() -> (reading: CInt, writing: CInt)? {
        var ends: [CInt] = [-1, -1]
        #if os(Linux)
            // Pipes are marked in a second step. A child may have started before it.
            let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        #else
            guard pipe(&ends) == 0 else { return nil }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #endif
        return (ends[0], ends[1])
    }
}
