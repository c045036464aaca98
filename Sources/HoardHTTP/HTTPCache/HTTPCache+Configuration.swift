// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard

extension HTTPCache {
    /// The behaviour and the limits of an HTTP cache.
    ///
    /// A value that makes no sense counts as the nearest one that does: a negative number as zero, a part of more than everything as everything. A
    /// target that is no field name is left out.
    public struct Configuration: Sendable {
        /// Whether the cache serves one user or many. Default: `.private`.
        ///
        /// A shared cache stores less: nothing that is `private`, and nothing that was asked for with
        /// `Authorization` unless the response allows it (RFC 9111 §3.5).
        public var mode: CacheMode = .private

        /// The name of the cache in the `Cache-Status` field (RFC 9211). Default: `hoard`.
        public var name: String = "hoard"

        /// The partition of requests that name none themselves (``RequestOptions/partition``). Partitions divide a store between users: responses of
        /// different partitions never answer each other's requests, and can be removed separately. Default: empty, which stands for none.
        public var partition: String = ""

        /// The fields with directives for caches of this kind, the most specific first:
        /// [RFC 9213 §2.2](https://www.rfc-editor.org/rfc/rfc9213#section-2.2). `nil`: `CDN-Cache-Control` for a shared cache, none for a private one.
        /// Default: `nil`.
        public var targets: [String]?

        /// The most bytes of responses in memory. Default: 64 MiB.
        public var maximumMemoryBytes: Int = 64 << 20

        /// The longest body that is stored; longer ones are only forwarded. `nil`: 512 MiB if there are stores, else an eighth of
        /// ``maximumMemoryBytes``. Default: `nil`.
        public var maximumObjectBytes: Int?

        /// The longest body that is kept in one piece. Longer bodies are kept in several, which are written while they arrive and read one at a time.
        /// Default: 256 KiB.
        public var inlineBodyBytes: Int = 256 << 10

        /// The most bytes of bodies that are being received and wait to be stored, of all requests together. Beyond it, bodies are only forwarded.
        /// Default: 32 MiB.
        public var maximumBytesInFlight: Int = 32 << 20

        /// The most responses to one URI that differ by request fields (`Vary`). With more, the ones stored least recently are removed. Default: 64.
        public var maximumVariants: Int = 64

        /// The longest content of a QUERY request whose answer is stored. It is read into memory before the cache is asked. A request with longer
        /// content is only forwarded. Default: 64 KiB.
        public var maximumQueryBytes: Int = 64 << 10

        /// The treatment of content that does not match the digests that responses state. Default: `.doNotStore`.
        public var digests: DigestPolicy = .doNotStore

        /// The rules by which responses are compressed for clients; `nil`: they are served as they came. Default: `nil`.
        ///
        /// While it is set, a miss is answered in the ordinary way, which takes longer than one that is relayed as it came.
        public var contentCodings: ContentCodingPolicy?

        /// The time for which a stale response with a validator is kept, to be revalidated rather than fetched again. Default: 7 days.
        public var revalidationPeriod: Duration = .seconds(7 * 86_400)

        /// The time for which a stale response may stand in for an origin that cannot be reached, where no directive says anything:
        /// [RFC 9111 §4.2.4](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.4). Zero: not at all. Default: 1 day.
        public var staleIfUnreachable: Duration = .seconds(86_400)

        /// The longest wait of a request for the head of the answer to another request like it. Then it goes to the origin by itself. Zero: requests
        /// never wait for each other. Default: 5 seconds.
        public var collapseTimeout: Duration = .seconds(5)

        /// Whether only one of the caches that share a store (`LeasingRecordStore`, such as `RedisStore`) asks the origin for a response that none of
        /// them has. The others wait until it is stored, for half of ``collapseTimeout`` at most. Then they ask by themselves, as they do if the
        /// store fails. It costs three round trips to the store for each miss. Default: `false`.
        public var collapsesAcrossCaches: Bool = false

        /// The time for which a cache that has died while it was asking keeps the others waiting.
        package var leaseDuration: Duration = .seconds(5)

        /// The time for which responses gather before they are written to a store that no other machine reads.
        package var writeGathering: Duration = .zero
        /// The same for servers. At 5,000 stored misses a second, 25 of them go to the disk together.
        package static let writeGatheringOfServers = Duration.milliseconds(5)

        /// Creates a configuration with the defaults; change the properties afterwards.
        public init() {}
    }
}

extension HTTPCache.Configuration {
    /// The longest body that is stored.
    func maximumObjectBytes(hasStores: Bool) -> Int {
        max(0, maximumObjectBytes ?? (hasStores ? 512 << 20 : maximumMemoryBytes / 8))
    }

    /// Returns the part of the configuration that decides how messages are judged.
    func rules(hasStores: Bool) -> HTTPCacheRules {
        let targets = targets ?? (mode == .shared ? ["CDN-Cache-Control"] : [])
        return HTTPCacheRules(
            cacheName: name,
            mode: mode,
            maximumObjectBytes: maximumObjectBytes(hasStores: hasStores),
            targets: targets.compactMap { HTTPField.Name($0) },
            staleIfUnreachable: min(max(0, staleIfUnreachable.saturatingComponents.seconds), DeltaSeconds.maximum),
            checksDigests: digests.checks,
            codings: contentCodings.map { CodingRules($0) }
        )
    }
}
