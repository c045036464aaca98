// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
public import HoardHTTP
internal import Synchronization

/// Images: originals in the HTTP cache or in a store, as they came; bitmaps of the size that is shown in memory.
///
/// ```swift
/// let images = ImageCache(client: client, stores: [disk])
/// let photo = try await images.image(for: "https://example.com/photo.jpg", options: .init(maximumPixelSize: 200))
///
/// try await images.store(data, forKey: "avatar")             // the bytes themselves, never encoded again
/// let avatar = try await images.image(forKey: "avatar")
/// ```
///
/// The keeper of the original decides each time whether an image may be shown: the HTTP cache by RFC 9111 for URLs, the stores for keys. A bitmap in
/// memory only saves the decoding. It is used if the original is still the same. So it is never older than its original, and leaves nothing of one user
/// to another.
///
/// An image of one size is fetched and decoded once for all callers that ask meanwhile, and no more than
/// ``Configuration/maximumConcurrentDecodes`` images are decoded at once. Decoding never runs on the caller's executor. A caller that is cancelled gets its error at
/// once; the work ends when the last caller has left.
///
/// Stores may be shared with other caches: this one's records are kept apart under the names `images` and
/// `images-derived`. It does not close them.
public final class ImageCache: Sendable {
    /// The limits that the cache was created with.
    public let configuration: Configuration

    let client: CachingClient?
    let originals: TieredCache<OriginalKey, OriginalBytes>
    let memory: Cache<DecodedKey, DecodedImage>
    /// Thumbnails, which are in the stores only, and placeholders.
    let derived: TieredCache<DerivedKey, DerivedImage>
    let hasStores: Bool
    let clock: any WallClock
    package let ticker: any Ticker
    let flights = SingleFlight<ImageRequest, ImageLookup?>()
    let slots: DecodingSlots
    let previews = PreviewReaders()
    let state = Mutex(State())

    struct State {
        /// The fences of the loads under way.
        var fences = FenceTable<ImageRequest>()
        var statistics = ImageCacheStatistics()
    }

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - client: Fetches images by URL, through its HTTP cache. `nil`: only images by key.
    ///   - stores: Where originals by key, thumbnails and placeholders are kept, nearest first. Without any, originals and placeholders are kept in
    ///     memory, and thumbnails are not kept.
    ///   - clock: Dates the records in the stores.
    ///   - ticker: Ages originals in memory, and measures how long stores take.
    public init(
        client: CachingClient? = nil,
        stores: [any RecordStore] = [],
        configuration: Configuration = Configuration(),
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker = MonotonicTicker()
    ) {
        self.configuration = configuration
        self.client = client
        self.clock = clock
        self.ticker = ticker
        hasStores = !stores.isEmpty
        let stores = StoreStack(stores, ticker: ticker)
        originals = TieredCache(
            name: "images",
            configuration: .init(maximumWeight: max(0, configuration.maximumOriginalMemoryBytes), weigher: { $1.data.count + $0.byteCount + 256 }),
            stores: stores,
            codec: OriginalBytes.codec,
            recordKey: { $0.recordKey },
            clock: clock,
            ticker: ticker
        )
        derived = Self.derivedCache(stores, configuration, clock, ticker)
        memory = Cache(maximumWeight: max(0, configuration.maximumMemoryBytes), ticker: ticker) { $1.byteCount + $0.byteCount + 256 }
        slots = DecodingSlots(count: configuration.maximumConcurrentDecodes)
    }
}
