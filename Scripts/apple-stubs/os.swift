// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Scripts/apple-check: what Hoard uses of the module os.

// https://developer.apple.com/documentation/os/osallocatedunfairlock
@available(macOS 13.0, iOS 16.0, *)
@frozen public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    public init(uncheckedState initialState: State) { fatalError() }
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R { fatalError() }
    public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R { fatalError() }
}

@available(macOS 13.0, iOS 16.0, *)
extension OSAllocatedUnfairLock where State == Void {
    public init() { fatalError() }
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    public func lock() { fatalError() }
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    public func unlock() { fatalError() }
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    public func lockIfAvailable() -> Bool { fatalError() }
}

@available(macOS 13.0, iOS 16.0, *)
extension OSAllocatedUnfairLock where State: Sendable {
    public init(initialState: State) { fatalError() }
}
