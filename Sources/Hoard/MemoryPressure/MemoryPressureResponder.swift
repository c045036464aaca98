// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Runs an action whenever the level of memory pressure changes, for as long as it lives.
///
/// ```swift
/// let responder = MemoryPressureResponder(source: SystemMemoryPressure()) { level in
///     if level >= .critical { cache.removeAll() }
/// }
/// ```
public final class MemoryPressureResponder: Sendable {
    private let task: Task<Void, Never>

    /// Starts to observe `source`. Does not suspend.
    ///
    /// - Parameter action: Called with each level that the source yields, one after the other, on a background task; see
    ///   ``MemoryPressureSource/levels()`` for when that is. While it runs, newer levels wait, and only the newest of them is kept. It is
    ///   called for the return to ``MemoryPressure/normal`` too. It is released when the observing ends; if it holds the responder,
    ///   the observing ends only at ``cancel()`` or with the source.
    public init(source: some MemoryPressureSource, action: @escaping @Sendable (MemoryPressure) -> Void) {
        let levels = source.levels()
        task = Task(priority: .utility) {
            for await level in levels {
                if Task.isCancelled { break }
                action(level)
            }
        }
    }

    /// Stops observing. Does not wait: a call of the action that has begun, or is just about to, goes on, and none follows it.
    /// Cancelling twice does nothing.
    public func cancel() {
        task.cancel()
    }

    deinit {
        task.cancel()
    }
}
