// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    internal import Glibc
#endif

/// The parts of memory that threads allocate from by turns.
enum AllocationArenas {
    /// The name of the variable by which the user of glibc says how many there are.
    static let variable = "MALLOC_ARENA_MAX"

    /// Keeps glibc from making one for each thread, up to eight for each core. Each has gaps of its own, which in a cache that fills up add up to several
    /// percent of its memory. Does nothing if the user has said how many there are, and with other allocators.
    ///
    /// - Parameter serverThreads: The threads that serve connections.
    /// - Returns: Whether it has set a limit.
    @discardableResult
    static func limit(serverThreads: Int, isSetByUser: Bool) -> Bool {
        #if canImport(Glibc)
            // Swift's module of glibc leaves <malloc.h> out.
            guard !isSetByUser, let symbol = dlsym(nil, "mallopt") else { return false }
            let setOption = unsafeBitCast(symbol, to: (@convention(c) (_ option: CInt, _ value: CInt) -> CInt).self)
            return setOption(arenaMaximum, CInt(clamping: 2 * max(1, min(serverThreads, 1 << 16)))) == 1
        #else
            return false
        #endif
    }

    #if canImport(Glibc)
        /// `M_ARENA_MAX`.
        private static let arenaMaximum: CInt = -8
    #endif
}
