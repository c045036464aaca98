// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Something that a test needs of the system and does not get.
package struct SystemFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    /// - Parameter number: The error, such as `errno`.
    package init(_ action: String, number: CInt) {
        description = "could not \(action): \(String(cString: strerror(number)))"
    }
}
