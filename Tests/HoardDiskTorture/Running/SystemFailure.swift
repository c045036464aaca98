// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A system call that failed, or a helper process that did not do what it was started for: the campaign cannot go on.
struct SystemFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// - Parameter number: The error, such as `errno`.
    init(_ action: String, number: CInt) {
        description = "could not \(action): \(String(cString: strerror(number)))"
    }
}
