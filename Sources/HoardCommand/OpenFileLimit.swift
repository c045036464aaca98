// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// How many files and connections the process may have open.
enum OpenFileLimit {
    /// The limit that a server asks for: room for its 10,000 clients, as many connections to the origin, and its files. macOS accepts no more than 10,240.
    #if canImport(Darwin)
        static let wanted: rlim_t = 10_240
    #else
        static let wanted: rlim_t = 65_536
    #endif

    /// Raises the limit as far as the system allows and a server needs. The usual one, 1,024, is for programs that use `select`.
    ///
    /// - Returns: The limit that holds now.
    @discardableResult
    static func raise() -> rlim_t {
        var limit = rlimit()
        guard getrlimit(openFiles, &limit) == 0 else { return 0 }
        let raised = max(limit.rlim_cur, min(limit.rlim_max, wanted))
        guard raised > limit.rlim_cur else { return limit.rlim_cur }
        let before = limit.rlim_cur
        limit.rlim_cur = raised
        return setrlimit(openFiles, &limit) == 0 ? raised : before
    }

    #if canImport(Glibc)
        private static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let openFiles = RLIMIT_NOFILE
    #endif
}
