// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The states of one key of a ``TieredCache``, the present one first: ``TieredCache/updates(forKey:policy:)``.
///
/// Each iteration observes for itself. It does everything in the task that reads it, and ends when that task is cancelled, when the cache is closed, or when the iterator is
/// let go of. As long as nothing changes it has no task and no timer of its own. A value whose lifetime will end waits for that in a queue that all
/// observers and deadlines of the cache share.
public struct CacheUpdates<Key: Hashable & Sendable, Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = CacheUpdate<Value>
    public typealias Failure = Never

    let cache: TieredCache<Key, Value>
    let request: TieredCache<Key, Value>.Inquiry

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(cache: cache, request: request) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        private let signal = UpdateSignal()
        private let observer: KeyObserver<Key, Value>
        private var hasBegun = false

        init(cache: TieredCache<Key, Value>, request: TieredCache<Key, Value>.Inquiry) {
            observer = KeyObserver(cache, request, signal, number: 0)
        }

        public mutating func next() async -> CacheUpdate<Value>? { await next(isolation: nil) }

        /// Returns the next state: the newest one, whatever has happened since the last. Suspends until there is one.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> CacheUpdate<Value>? {
            while !Task.isCancelled {
                guard let changes = signal.take() else { return nil }
                if changes.isEmpty, hasBegun {
                    await signal.wait()
                    continue
                }
                hasBegun = true
                if let update = await observer.look(after: changes[0] ?? KeyChanges()) { return update }
            }
            return nil
        }
    }
}

/// The states of several keys of a ``TieredCache`` together: ``TieredCache/updates(forKeys:policy:)``.
public struct CacheCollectionUpdates<Key: Hashable & Sendable, Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = [Key: CacheUpdate<Value>]
    public typealias Failure = Never

    let cache: TieredCache<Key, Value>
    let requests: [TieredCache<Key, Value>.Inquiry]

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(cache: cache, requests: requests) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        private let cache: TieredCache<Key, Value>
        private let requests: [TieredCache<Key, Value>.Inquiry]
        private let signal = UpdateSignal()
        private let observers: [KeyObserver<Key, Value>]
        private var states: Element = [:]
        private var hasBegun = false

        init(cache: TieredCache<Key, Value>, requests: [TieredCache<Key, Value>.Inquiry]) {
            self.cache = cache
            self.requests = requests
            let signal = signal
            observers = requests.enumerated().map { KeyObserver(cache, $1, signal, number: $0) }
        }

        public mutating func next() async -> Element? { await next(isolation: nil) }

        /// Returns the states of all keys when one of them has changed. Suspends until then.
        /// - Complexity: O(*n*) in the number of changed keys; the first time, of all.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while !Task.isCancelled {
                guard var changes = signal.take() else { return nil }
                if !hasBegun {
                    // One call of each store brings what it has to memory.
                    if requests.count > 1 { await cache.fetch(requests.map(\.key), policy: requests[0].policy) }
                    for number in observers.indices where changes[number] == nil { changes[number] = KeyChanges() }
                }
                var hasNews = !hasBegun
                hasBegun = true
                for (number, changes) in changes {
                    guard let update = await observers[number].look(after: changes) else { continue }
                    states[requests[number].key] = update
                    hasNews = true
                }
                if Task.isCancelled { break }
                if hasNews { return states }
                await signal.wait()
            }
            return nil
        }
    }
}

/// The changes of the values with a tag: ``TieredCache/updates(taggedWith:)``.
public struct CacheTagUpdates<Key: Hashable & Sendable, Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = CacheTagChange<Key>
    public typealias Failure = Never

    let cache: TieredCache<Key, Value>
    let tag: String

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(membership: TagMembership(cache, tag)) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let membership: TagMembership<Key, Value>

        fileprivate init(membership: TagMembership<Key, Value>) { self.membership = membership }

        public mutating func next() async -> Element? { await next(isolation: nil) }

        /// Returns all that has happened since the last call. Suspends until there is something.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            let observer = membership.observer
            while !Task.isCancelled {
                guard observer.signal.take() != nil else { return nil }
                if let change = observer.take() { return change }
                await observer.signal.wait()
            }
            return nil
        }
    }
}

/// Removes a tag's observer when its iterator has gone.
private final class TagMembership<Key: Hashable & Sendable, Value: Sendable> {
    let observer: TagObserver<Key>
    private let cache: TieredCache<Key, Value>
    private let id: UInt64?

    init(_ cache: TieredCache<Key, Value>, _ tag: String) {
        let observer = TagObserver<Key>(tag: tag)
        self.cache = cache
        self.observer = observer
        id = cache.fences.withLock { _ in cache.observers.add(observer) }
        if id == nil { observer.signal.end() }
    }

    deinit {
        if let id { cache.observers.removeTagObserver(id) }
    }
}
