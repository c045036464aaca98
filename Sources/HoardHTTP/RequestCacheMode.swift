// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A request's use of the cache: a cache mode of the [Fetch standard](https://fetch.spec.whatwg.org/#concept-request-cache-mode).
public struct RequestCacheMode: Hashable, Sendable, CustomStringConvertible {
    private enum Base: String, Hashable, Sendable {
        case `default`, noStore = "no-store", reload, noCache = "no-cache", forceCache = "force-cache", onlyIfCached = "only-if-cached"
    }

    private let base: Base
    private init(_ base: Base) { self.base = base }

    /// A fresh response is used, a stale one is validated, anything else is fetched and stored.
    public static var `default`: Self { .init(.default) }
    /// The origin is asked as if there were no cache; nothing is stored.
    public static var noStore: Self { .init(.noStore) }
    /// The origin is asked as if there were no cache; its response is stored.
    public static var reload: Self { .init(.reload) }
    /// A stored response, fresh or stale, is used only after the origin has confirmed it.
    public static var noCache: Self { .init(.noCache) }
    /// A stored response is used however stale it is. Only if there is none, the origin is asked.
    public static var forceCache: Self { .init(.forceCache) }
    /// A stored response is used however stale it is. If there is none, the answer is 504, and no request is sent.
    public static var onlyIfCached: Self { .init(.onlyIfCached) }

    /// The name that the Fetch standard gives the mode.
    public var description: String { base.rawValue }
}
