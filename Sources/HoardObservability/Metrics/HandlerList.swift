// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Handlers by the labels that they are made for. The list only grows, up to a limit; it is searched without a lock and
/// without allocation.
///
/// Searching is linear: the lists here have a handful of elements, and equal strings are mostly the same string.
final class HandlerList<Key: Equatable & Sendable, Handlers: Sendable>: Sendable {
    private final class Node: Sendable {
        let key: Key
        let handlers: Handlers
        let next = AtomicLazyReference<Node>()

        init(key: Key, handlers: Handlers) {
            self.key = key
            self.handlers = handlers
        }
    }

    private let first = AtomicLazyReference<Node>()
    private let maximumCount: Int

    init(maximumCount: Int) {
        self.maximumCount = maximumCount
    }

    /// The handlers for `key`; they are made if there are none yet. `nil` when the list is full and does not have them.
    ///
    /// Two callers that come first at the same time may both make handlers; one pair is kept and returned to both.
    func handlers(for key: Key, make: () -> Handlers) -> Handlers? {
        var count = 0
        var last: Node?
        var node = first.load()
        while let current = node {
            if current.key == key { return current.handlers }
            count += 1
            last = current
            node = current.next.load()
        }
        guard count < maximumCount else { return nil }
        let new = Node(key: key, handlers: make())
        while count < maximumCount {
            let appended = if let last { last.next.storeIfNil(new) } else { first.storeIfNil(new) }
            if appended === new || appended.key == key { return appended.handlers }
            count += 1
            last = appended
        }
        return nil
    }
}
