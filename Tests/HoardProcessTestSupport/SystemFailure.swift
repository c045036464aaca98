// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A resource of the system that a test needs and does not get.
package struct SystemFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    /// - Parameter number: The number of the error, such as `errno`.
    package init(_ action: String, number: CInt) {
        description = "could not \(action): \(String(cString: strerror(number)))"
    }
}
