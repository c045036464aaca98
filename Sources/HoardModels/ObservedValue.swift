// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
public import Observation

/// A value of a `TieredCache` as a view shows it: the kept value at once, then the loaded one, then every change.
///
/// ```swift
/// struct UserView: View {
///     @State private var user: ObservedValue<String, User>
///     init(id: String) { _user = State(initialValue: ObservedValue(users, forKey: id) { try await server.user($0) }) }
///
///     var body: some View {
///         Text(user.value?.name ?? "…").task { await user.run() }
///     }
/// }
/// ```
///
/// A value in memory is there when the model is created. Everything else happens while ``run()`` is running, or between ``start()``
/// and ``stop()``: a model that no view shows loads nothing, and has no task.
@MainActor @Observable public final class ObservedValue<Key: Hashable & Sendable, Value: Sendable> {
    /// The key of the value.
    public let key: Key
    /// The newest state of the key.
    public private(set) var update: CacheUpdate<Value>
    /// Whether ``refresh()`` is at work.
    public var isRefreshing: Bool { refreshCount > 0 }
    private var refreshCount = 0
    /// The error of the last refresh; `nil` if it did not fail, or something newer has come since.
    public private(set) var refreshError: (any Error)?

    @ObservationIgnored private let source: Source
    @ObservationIgnored private var following: Following?
    /// The value that the last refresh has brought. The reader of updates may not have come to it yet.
    @ObservationIgnored private var refreshed: Lookup<Value>?
    /// Called after each change, for models that are made of several.
    @ObservationIgnored var onChange: (@MainActor () -> Void)?

    /// All that the model needs to follow its key.
    struct Source: Sendable {
        let cache: TieredCache<Key, Value>
        let policy: CachePolicy?
        let tags: Set<String>
        let refreshPolicy: RefreshPolicy
        let ticker: any Ticker
        let load: @Sendable (Key) async throws -> Value
    }

    /// Creates a model. Nothing is loaded before it runs.
    ///
    /// - Parameters:
    ///   - policy: The policy for the loads. By default the cache's policy.
    ///   - tags: Labels that a loaded value gets.
    ///   - refresh: When a new value is loaded although there is a fresh one.
    ///   - ticker: The clock of ``RefreshPolicy/interval``.
    public convenience init(
        _ cache: TieredCache<Key, Value>,
        forKey key: Key,
        policy: CachePolicy? = nil,
        tags: Set<String> = [],
        refresh: RefreshPolicy = RefreshPolicy(),
        ticker: any Ticker = MonotonicTicker(),
        load: @escaping @Sendable (Key) async throws -> Value
    ) {
        self.init(key, Source(cache: cache, policy: policy, tags: tags, refreshPolicy: refresh, ticker: ticker, load: load))
    }

    init(_ key: Key, _ source: Source) {
        self.key = key
        self.source = source
        update = CacheUpdate(lookup: source.cache.memoryLookup(forKey: key))
        following = Following { [weak self] in await Self.follow(key, source) { [weak self] in self } }
    }

    /// The newest value, fresh or stale; `nil`: there is none, or none yet.
    public var value: Value? { update.value }

    /// Whether a load is under way.
    public var isLoading: Bool { update.isLoading || isRefreshing }

    /// The error of the last load or refresh. There may be a value that stands in.
    public var error: (any Error)? { refreshError ?? update.error }

    // MARK: Following

    /// Follows the key until the caller's task is cancelled: for the modifier `task` of a view.
    public func run() async {
        start()
        await untilCancelled()
        stop()
    }

    /// Begins to follow the key. Each call needs a ``stop()``.
    public func start() { following?.start() }

    /// Ends the following that ``start()`` has begun, when it was called as often.
    public func stop() {
        following?.stop()
        if update.isLoading, !(following?.isActive ?? false) { update = CacheUpdate(lookup: update.lookup, error: update.error) }
    }

    private nonisolated static func follow(_ key: Key, _ source: Source, _ model: @escaping @Sendable () -> ObservedValue?) async {
        let policy = source.refreshPolicy
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await update in source.cache.updates(forKey: key, policy: source.policy, tags: source.tags, load: source.load) {
                    await model()?.show(update)
                }
                await model()?.showEnd()
            }
            if policy.onForeground || policy.onReconnection {
                group.addTask {
                    for await event in policy.events.makeStream() where policy.concerns(event) { await model()?.refresh(after: policy.minimumAge) }
                }
            }
            if let interval = policy.interval, interval > .zero {
                group.addTask {
                    // A sleep of no time does not notice that the task is cancelled.
                    while !Task.isCancelled, (try? await source.ticker.sleep(for: interval)) != nil { await model()?.refresh() }
                }
            }
            await group.waitForAll()
        }
    }

    private func show(_ update: CacheUpdate<Value>) {
        // Another reader may have begun since.
        if Task.isCancelled { return }
        self.update = update
        refreshError = nil
        onChange?()
    }

    /// There are no more updates when the cache is closed, and none for a load under way.
    private func showEnd() {
        if update.isLoading, !Task.isCancelled { show(CacheUpdate(lookup: update.lookup, error: update.error)) }
    }

    // MARK: Refreshing

    /// Loads a new value, whatever is kept. A failure leaves the value as it is; it is in ``error``.
    ///
    /// - Returns: Whether there is a new value.
    @discardableResult public func refresh() async -> Bool {
        let policy = (source.policy ?? source.cache.policy).with { $0.skipping.formUnion(.reads) }
        refreshCount += 1
        defer {
            refreshCount -= 1
            onChange?()
        }
        do {
            let lookup = try await source.cache.lookup(forKey: key, policy: policy, tags: source.tags, load: source.load)
            refreshError = lookup.staleReason?.error
            refreshed = lookup
            // Memory has the newest value, which need not be the one that was loaded here. If it keeps nothing, a
            // reader of updates knows better.
            if let current = source.cache.memoryLookup(forKey: key) {
                update = CacheUpdate(lookup: current)
            } else if !(following?.isActive ?? false) {
                update = CacheUpdate(lookup: lookup)
            }
            return lookup.isFresh
        } catch {
            if !Task.isCancelled { refreshError = error }
            return false
        }
    }

    private func refresh(after minimumAge: Duration) async {
        let lookup = [update.lookup, refreshed].compactMap(\.self).max { $0.created < $1.created }
        let age = lookup.map { source.cache.age(of: $0) }
        // A value from the future was made before the clock was set back. Its age is not known.
        if error == nil, let lookup, lookup.isFresh, let age, age >= .zero, age < minimumAge { return }
        await refresh()
    }
}
