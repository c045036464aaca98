// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#else
    internal import Glibc
#endif

/// The identity of a thread while it exists.
struct ThreadIdentity: Equatable, Sendable {
    private let number: UInt

    /// The thread that asks.
    static var current: Self {
        #if canImport(Darwin)
            Self(number: UInt(bitPattern: pthread_self()))
        #else
            Self(number: UInt(pthread_self()))
        #endif
    }
}
