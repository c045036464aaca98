// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A watch for the changes that others make to a store. See ``SharedRecordStore/watch(_:)``. It ends when it is cancelled or released.
public final class StoreWatch: Sendable {
    private let onCancel: Mutex<(@Sendable () -> Void)?>

    /// Creates a watch.
    ///
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
