// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
public import Observation

/// A value that depends on parameters, as a view shows it: a search, a filter, a page of a report.
///
/// ```swift
/// @State private var search = ObservedQuery(results, key: { (text: String) in text }) { try await server.search($0) }
/// …
/// TextField("Search", text: Binding { search.parameters ?? "" } set: { search.parameters = $0.isEmpty ? nil : $0 })
/// ForEach(search.value ?? []) { … }
/// ```
///
/// New parameters end the work for the old ones: the load is cancelled, unless another caller waits for it, and its result is not shown any more.
@MainActor @Observable public final class ObservedQuery<Parameters: Hashable & Sendable, Key: Hashable & Sendable, Value: Sendable> {
    private var model: ObservedValue<Key, Value>?
    private var current: Parameters?
    /// The value that was shown before the parameters have changed. `nil` once there is one of the new parameters.
    private var previous: Value?

    /// Whether the value of the old parameters is shown until there is one of the new. Default: `false`.
    public var keepsPrevious = false

    @ObservationIgnored private let makeModel: @MainActor (Parameters) -> ObservedValue<Key, Value>
    @ObservationIgnored private var users = Users()

    /// Creates a query. Nothing is loaded before it runs.
    ///
    /// - Parameters:
    ///   - parameters: `nil`: nothing is asked for yet.
    ///   - key: The key under which the value for some parameters is kept.
    ///   - policy: The policy for the loads. By default the cache's policy.
    ///   - tags: Labels that a loaded value gets.
    ///   - refresh: When a new value is loaded although there is a fresh one.
    ///   - ticker: The clock of ``RefreshPolicy/interval``.
    public init(
        _ cache: TieredCache<Key, Value>,
        parameters: Parameters? = nil,
        key: @escaping @Sendable (Parameters) -> Key,
        policy: CachePolicy? = nil,
        tags: Set<String> = [],
        refresh: RefreshPolicy = RefreshPolicy(),
        ticker: any Ticker = MonotonicTicker(),
        load: @escaping @Sendable (Parameters) async throws -> Value
    ) {
        makeModel = { parameters in
            ObservedValue(
                cache,
                forKey: key(parameters),
                policy: policy,
                tags: tags,
                refresh: refresh,
                ticker: ticker
            ) { _ in try await load(parameters) }
        }
        current = parameters
        model = parameters.map { makeModel($0) }
    }

    /// The parameters of the query. `nil`: nothing is asked for.
    public var parameters: Parameters? {
        get { current }
        set {
            if newValue == current { return }
            // Without parameters nothing is shown, and nothing of earlier ones comes back later.
            previous = keepsPrevious ? value : nil
            current = newValue
            let old = model
            old?.onChange = nil
            model = newValue.map { makeModel($0) }
            model?.onChange = { [weak self] in self?.forgetPrevious() }
            forgetPrevious()
            if !users.isEmpty {
                model?.start()
                old?.stop()
            }
        }
    }

    /// When the new value is removed later, the old one must not come back.
    private func forgetPrevious() {
        if previous != nil, model?.value != nil { previous = nil }
    }

    /// The newest value for the parameters, or the one that ``keepsPrevious`` keeps.
    public var value: Value? { model?.value ?? (keepsPrevious && current != nil ? previous : nil) }

    /// Whether ``value`` is that of other parameters than these.
    public var isPrevious: Bool { model.map { $0.value == nil && value != nil } ?? false }

    /// The state of the key. Empty without parameters.
    public var update: CacheUpdate<Value> { model?.update ?? CacheUpdate() }

    /// Whether a load is under way.
    public var isLoading: Bool { model?.isLoading ?? false }

    /// The error of the last load or refresh.
    public var error: (any Error)? { model?.error }

    /// Follows the query until the caller's task is cancelled: for the modifier `task` of a view.
    public func run() async {
        start()
        await untilCancelled()
        stop()
    }

    /// Begins to follow. Each call needs a ``stop()``.
    public func start() {
        if users.enter() { model?.start() }
    }

    /// Ends the following that ``start()`` has begun, when it was called as often.
    public func stop() {
        if users.leave() { model?.stop() }
    }

    /// Loads a new value, whatever is kept: ``ObservedValue/refresh()``.
    @discardableResult public func refresh() async -> Bool { await model?.refresh() ?? false }
}
