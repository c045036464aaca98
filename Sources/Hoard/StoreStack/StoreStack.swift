// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The stores below memory, nearest first, with the handling of their failures. Several caches may share a stack.
///
/// A cache waits no longer than ``Configuration/deadline`` for one operation of a store, and never sees its errors. A store that fails too often is
/// left alone for a while. The changes that it has missed meanwhile are remembered, their records are not read, and the changes are made good when it
/// works again.
///
/// ```swift
/// let stack = StoreStack([disk], configuration: .init(deadline: .milliseconds(250)))
/// for health in stack.health where !health.isSound { print(health.store, health.circuit) }
/// ```
public final class StoreStack: Sendable {
    /// The stores, nearest first.
    @usableFromInline let tiers: [StoreTier]

    /// Whether other processes change one of the stores and it can tell.
    let hasSharedStores: Bool

    /// Whether the nearest store can answer at once.
    @usableFromInline let answersAtOnce: Bool

    /// The first of the stores that can all be asked without a task, up to the farthest; their number if that one cannot.
    @usableFromInline let firstCallback: Int

    /// Creates a stack. It owns the stores: ``close()`` closes them.
    ///
    /// - Parameters:
    ///   - stores: Nearest first. Their names should differ.
    ///   - ticker: Measures deadlines, and how long a store is left alone.
    ///   - observer: Told of every call of a store, and of the events.
    ///   - onEvent: Receives events worth logging. Called outside all locks, on the thread that noticed.
    public init(
        _ stores: [any RecordStore],
        configuration: Configuration = .init(),
        ticker: any Ticker = MonotonicTicker(),
        observer: (any CacheObserver)? = nil,
        onEvent: @escaping @Sendable (TieredCacheEvent) -> Void = { _ in }
    ) {
        configuration.checkLimits()
        tiers = stores.map { store in
            StoreTier(store: store, configuration: configuration, ticker: ticker, observer: observer) { event in
                observer?.eventOccurred(event)
                onEvent(event)
            }
        }
        hasSharedStores = tiers.contains { $0.sharedStore != nil }
        answersAtOnce = tiers.first?.immediateStore != nil
        firstCallback = tiers.lastIndex { $0.callbackStore == nil }.map { $0 + 1 } ?? 0
    }

    /// The present health of the stores, nearest first. Never suspends.
    public var health: [StoreHealth] { tiers.map(\.health) }

    /// Removes all records of the caches with a name from the stores. One call of each store, however many records there are.
    ///
    /// Suspends until the stores have done it, each until its deadline at most. A store that fails does it before it is next read. Caches
    /// that are in use should empty themselves instead (`removeAll()`): this leaves their memory, and loads under way, as they are.
    public func removeNamespace(_ name: String) async {
        for tier in tiers { await tier.removeRecords(taggedWith: [Self.namespaceTag(name)]) {} }
    }

    /// Closes the stores, farthest last. Calling it again does nothing.
    public func close() async {
        for tier in tiers { await tier.close() }
    }

    /// All stores as passed by for one reason.
    @usableFromInline func skips(_ reason: StoreSkip.Reason) -> [StoreSkip] { tiers.map { StoreSkip(store: $0.name, reason: reason) } }

    /// The tag of all records of the caches of a name. No tag of theirs begins with the same character.
    static func namespaceTag(_ name: String) -> String { "\u{0}" + name }
}
