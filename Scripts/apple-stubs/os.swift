// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Scripts/apple-check: the part of the module os that Hoard uses. os/lock.h says that these functions
// are not for asynchronous code.

// https://developer.apple.com/documentation/os/os_unfair_lock_s
public struct os_unfair_lock_s {
    public init() { fatalError() }
}

// https://developer.apple.com/documentation/os/os_unfair_lock
public typealias os_unfair_lock = os_unfair_lock_s

// https://developer.apple.com/documentation/os/os_unfair_lock_lock
@available(*, noasync, message: "Use OSAllocatedUnfairLock.lock() for async-safe scoped locking")
public func os_unfair_lock_lock(_ lock: UnsafeMutablePointer<os_unfair_lock_s>) { fatalError() }

// https://developer.apple.com/documentation/os/os_unfair_lock_unlock
@available(*, noasync, message: "Use OSAllocatedUnfairLock.unlock() for async-safe scoped locking")
public func os_unfair_lock_unlock(_ lock: UnsafeMutablePointer<os_unfair_lock_s>) { fatalError() }

// https://developer.apple.com/documentation/os/os_unfair_lock_trylock
@available(*, noasync, message: "Use OSAllocatedUnfairLock.withLockIfAvailable() for async-safe scoped locking")
public func os_unfair_lock_trylock(_ lock: UnsafeMutablePointer<os_unfair_lock_s>) -> Bool { fatalError() }
