// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
public import Observation

/// A page of a list, and where the next one begins.
public struct CachedPage<Item: Sendable, Cursor: Hashable & Sendable>: Sendable {
    /// The items of the page, in order.
    public var items: [Item]
    /// The place from which the next page is asked for. `nil`: this is the last.
    public var next: Cursor?

    /// Creates a page.
    public init(items: [Item], next: Cursor?) {
        self.items = items
        self.next = next
    }
}

extension CachedPage: Equatable where Item: Equatable {}
extension CachedPage: Codable where Item: Codable, Cursor: Codable {}

/// A list that comes in pages, as a view shows it. Each page is kept under a key of its own.
///
/// ```swift
/// @State private var posts = ObservedPages(pages, key: { "posts after \($0 ?? "")" }) { cursor in try await server.posts(after: cursor) }
/// …
/// List(posts.items) { … }.task { await posts.run() }.refreshable { await posts.refresh() }
/// ```
///
/// When the ``CachedPage/next`` of a page changes, by a refresh or by another writer, another page comes after it from then on. The pages that
/// were shown after it are loaded for the new cursor.
@MainActor @Observable public final class ObservedPages<Key: Hashable & Sendable, Item: Sendable, Cursor: Hashable & Sendable> {
    /// A page of the list.
    public typealias Page = CachedPage<Item, Cursor>

    private var chain: [(cursor: Cursor?, model: ObservedValue<Key, Page>)] = []
    /// The number of pages that are wanted.
    private var wanted = 1
    @ObservationIgnored private let makeModel: @MainActor (Cursor?) -> ObservedValue<Key, Page>
    @ObservationIgnored private var users = Users()

    /// Creates a list. Nothing is loaded before it runs.
    ///
    /// - Parameters:
    ///   - key: The key of the page that begins at a cursor; `nil` for the first.
    ///   - policy: The policy for the loads. By default the cache's policy.
    ///   - tags: Labels that loaded pages get.
    ///   - refresh: When new pages are loaded although there are fresh ones.
    ///   - ticker: The clock of ``RefreshPolicy/interval``.
    public init(
        _ cache: TieredCache<Key, Page>,
        key: @escaping @Sendable (Cursor?) -> Key,
        policy: CachePolicy? = nil,
        tags: Set<String> = [],
        refresh: RefreshPolicy = RefreshPolicy(),
        ticker: any Ticker = MonotonicTicker(),
        load: @escaping @Sendable (Cursor?) async throws -> Page
    ) {
        makeModel = { cursor in
            ObservedValue(cache, forKey: key(cursor), policy: policy, tags: tags, refresh: refresh, ticker: ticker) { _ in try await load(cursor) }
        }
        extend()
    }

    /// The items of all pages that are there, up to the first that is missing.
    public var items: [Item] { chain.prefix { $0.model.value != nil }.flatMap { $0.model.value?.items ?? [] } }

    /// The number of pages that are wanted.
    public var pageCount: Int { chain.count }

    /// Whether there are more pages than are wanted, as far as is known.
    public var hasMore: Bool { chain.last?.model.value.map { $0.next != nil } ?? false }

    /// Whether a page is being loaded.
    public var isLoading: Bool { chain.contains { $0.model.isLoading } }

    /// The error of the first page that has one.
    public var error: (any Error)? { chain.lazy.compactMap(\.model.error).first }

    /// Wants one more page, if there is one and all that are wanted are there. Loads it if the list is followed.
    public func loadMore() {
        guard hasMore else { return }
        wanted = chain.count + 1
        extend()
    }

    /// Loads all pages anew, from the top: each with the cursor that the new page before it gives. Stops at the first failure.
    ///
    /// - Returns: Whether all pages are new.
    @discardableResult public func refresh() async -> Bool {
        var done: [ObservedValue<Key, Page>] = []
        while done.count < chain.count {
            let model = chain[done.count].model
            let isNew = await model.refresh()
            reconsider()
            done.append(model)
            // Other pages may have come in the places of some. Those are not new.
            let keptCount = zip(chain, done).prefix { page, model in page.model === model }.count
            if keptCount == done.count, !isNew { return false }
            done.removeSubrange(keptCount...)
        }
        return true
    }

    /// Follows the list until the caller's task is cancelled: for the modifier `task` of a view.
    public func run() async {
        start()
        await untilCancelled()
        stop()
    }

    /// Begins to follow. Each call needs a ``stop()``.
    public func start() {
        if users.enter() { for page in chain { page.model.start() } }
    }

    /// Ends the following that ``start()`` has begun, when it was called as often.
    public func stop() {
        if users.leave() { for page in chain { page.model.stop() } }
    }

    // MARK: The chain

    /// Drops pages that are not behind the one before them any more, and adds those that are wanted and whose cursors are known.
    private func reconsider() {
        for number in chain.indices.dropFirst() {
            guard let before = chain[number - 1].model.value, before.next != chain[number].cursor else { continue }
            for page in chain[number...] {
                page.model.onChange = nil
                if !users.isEmpty { page.model.stop() }
            }
            chain.removeSubrange(number...)
            break
        }
        extend()
    }

    private func extend() {
        while chain.count < wanted {
            let cursor: Cursor?
            if let last = chain.last {
                guard let next = last.model.value?.next else { return }
                cursor = next
            } else {
                cursor = nil
            }
            let model = makeModel(cursor)
            chain.append((cursor, model))
            model.onChange = { [weak self] in self?.reconsider() }
            if !users.isEmpty { model.start() }
        }
    }
}
