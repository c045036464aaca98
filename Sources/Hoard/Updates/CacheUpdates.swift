// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The states of one key of a ``TieredCache``, beginning with the present one. See ``TieredCache/updates(forKey:policy:)``.
///
/// Each iteration observes by itself. It does its work in the task that reads it. It ends when that task is cancelled, the cache is closed or the
/// iterator is released. While nothing changes, it has no task and no timer of its own: all observers and deadlines of the cache share one queue
/// for the ends of lifetimes.
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

        /// Returns the newest state, and skips states that came before it. Suspends until there is a new one.
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

/// The states of several keys of a ``TieredCache`` together. See ``TieredCache/updates(forKeys:policy:)``.
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

        /// Returns the states of all keys. Suspends until one of them has changed.
        /// - Complexity: O(*n*) in the number of changed keys; the first time, in the number of all keys.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            // Without keys nothing can change, and the end of the cache is not reported.
            if requests.isEmpty, hasBegun { return nil }
            while !Task.isCancelled {
                guard var changes = signal.take() else { return nil }
                if !hasBegun {
                    // One call of each store promotes its values to memory.
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

/// The changes among the values with a tag. See ``TieredCache/updates(taggedWith:)``.
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

        /// Returns all changes since the last call. Suspends until there is one.
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

/// Removes a tag's observer when its iterator is released.
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
