// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension HTTPCache {
    /// How an HTTP cache behaves, and how much it holds.
    ///
    /// A value that makes no sense counts as the nearest one that does: a negative number as zero, a part of more than everything as everything. A
    /// target that is no field name is left out.
    public struct Configuration: Sendable {
        /// Whether the cache serves one user or many. Default: `.private`.
        ///
        /// A shared cache stores less: nothing that is `private`, and nothing that was asked for with
        /// `Authorization` unless the response allows it (RFC 9111 §3.5).
        public var mode: CacheMode = .private

        /// Names the cache in the `Cache-Status` field (RFC 9211). Default: `hoard`.
        public var name: String = "hoard"

        /// Divides a store between users: responses of different partitions never answer each other's requests, and leave apart from each other. It is for requests that
        /// name none themselves (``RequestOptions/partition``). Default: empty, which stands for none.
        public var partition: String = ""

        /// The fields that have directives for caches of this kind, the most specific first:
        /// [RFC 9213 §2.2](https://www.rfc-editor.org/rfc/rfc9213#section-2.2). `nil`: `CDN-Cache-Control` for a shared cache, none for a private one.
        /// Default: `nil`.
        public var targets: [String]?

        /// The most bytes of responses held in memory. Default: 64 MiB.
        public var maximumMemoryBytes: Int = 64 << 20

        /// The longest body that is stored; longer ones are forwarded only. `nil`: 512 MiB if there are stores, else an eighth of
        /// ``maximumMemoryBytes``. Default: `nil`.
        public var maximumObjectBytes: Int?

        /// Longer bodies are kept in pieces, which are written while they arrive and read one at a time. Default: 256 KiB.
        public var inlineBodyBytes: Int = 256 << 10

        /// The most bytes of bodies that are being received and wait to be stored, of all requests together; beyond it bodies are forwarded
        /// only. Default: 32 MiB.
        public var maximumBytesInFlight: Int = 32 << 20

        /// The most responses to one URI that differ by request fields (`Vary`); the ones stored least recently go. Default: 64.
        public var maximumVariants: Int = 64

        /// The longest content of a QUERY request whose answer is stored. It is read into memory before the cache is asked; a request with more is forwarded only.
        /// Default: 64 KiB.
        public var maximumQueryBytes: Int = 64 << 10

        /// Whether content is compared with the digests that responses state. Default: `.doNotStore`.
        public var digests: DigestPolicy = .doNotStore

        /// How responses are compressed for clients; `nil`: they are served as they came. Default: `nil`.
        ///
        /// While it is set, a miss is answered in the ordinary way, which takes longer than one that is relayed as it came.
        public var contentCodings: ContentCodingPolicy?

        /// How long a stale response that has a validator is kept, to be revalidated rather than fetched again. Default: 7 days.
        public var revalidationPeriod: Duration = .seconds(7 * 86_400)

        /// For how long a stale response may stand in for an origin that cannot be reached, where no directive says anything:
        /// [RFC 9111 §4.2.4](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.4). Zero: not at all. Default: 1 day.
        public var staleIfUnreachable: Duration = .seconds(86_400)

        /// How long a request waits for the head of the answer to another request like it before it goes to the origin by itself. Zero: requests
        /// never wait for each other. Default: 5 seconds.
        public var collapseTimeout: Duration = .seconds(5)

        /// Whether caches that share a store (`LeasingRecordStore`, such as `RedisStore`) agree who of them asks the origin for what none of them has. The others wait
        /// until it is stored, for half of ``collapseTimeout`` at most; then they ask by themselves, as they do if the store fails. It costs three round trips to the store for each miss.
        /// Default: `false`.
        public var collapsesAcrossCaches: Bool = false

        /// For how long a cache that has died while it was asking keeps the others waiting.
        package var leaseDuration: Duration = .seconds(5)

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
            staleIfUnreachable: min(max(0, staleIfUnreachable.components.seconds), DeltaSeconds.maximum),
            checksDigests: digests.checks,
            codings: contentCodings.map { CodingRules($0) }
        )
    }
}
