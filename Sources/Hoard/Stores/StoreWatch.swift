// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A watch, which is told of the changes that others make to a store: ``SharedRecordStore/watch(_:)``. Ends when it is cancelled or released.
public final class StoreWatch: Sendable {
    private let onCancel: Mutex<(@Sendable () -> Void)?>

    /// - Parameter onCancel: Called once, when the watch ends.
    public init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = Mutex(onCancel)
    }

    deinit {
        cancel()
    }

    /// Ends the watch. A call that is under way goes on; no other begins. Cancelling again does nothing.
    public func cancel() {
        onCancel.withLock { $0.take() }?()
    }
}
