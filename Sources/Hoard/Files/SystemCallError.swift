// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    /// The error that the system reported when a call failed.
    package struct SystemCallError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The value of `errno`.
        package let number: Int32

        package init(_ number: Int32) {
            self.number = number
        }

        /// The error of the call that has just failed on this thread.
        static var last: SystemCallError { SystemCallError(errno) }

        /// There is something at the path already.
        static var occupied: SystemCallError { SystemCallError(EEXIST) }

        /// Whether there is nothing at the path.
        var isNotFound: Bool { number == ENOENT }

        /// Whether there is something at the path already.
        var isOccupied: Bool { number == EEXIST }

        /// The system's sentence for the number, such as "No space left on device", without a full stop.
        package var description: String { String(cString: strerror(number)) }
    }
#endif
