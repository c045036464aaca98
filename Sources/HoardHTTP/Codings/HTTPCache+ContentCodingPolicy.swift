// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension HTTPCache {
    /// The rules by which a cache compresses responses for clients: [RFC 9110 §8.4](https://www.rfc-editor.org/rfc/rfc9110#section-8.4).
    ///
    /// A response of a type that is worth it is stored once, as the origin has sent it, and served in the coding that its client prefers. Short content is coded when a
    /// client first asks for it, and kept beside the stored response in memory; content that is kept in pieces, or still arriving, is coded while it is sent. Strong
    /// entity tags become the form's own (`"x"` is served as `"x:br"`), and `Vary` gets `Accept-Encoding`.
    ///
    /// Left as they are: responses with `no-transform` or `Content-Range`, and stored ones with trailers; short ones; those of other types; and those that are not stored, unless
    /// ``codesUnstored`` says otherwise.
    public struct ContentCodingPolicy: Hashable, Sendable {
        /// The codings that are offered to clients, the best first. Of the codings that a client wants equally, the first one counts. `br`, `zstd`
        /// and `gzip`; on Linux the first two need the traits `Brotli` and `Zstandard`. Names that this build does not know are left out. Default:
        /// these three.
        public var codings = ["br", "zstd", "gzip"]

        /// The coding that the origin is asked for if the client accepts it, so that all clients share one stored response; `nil` for none. Content
        /// in a coding that a client does not accept is decoded for it. Default: `gzip`.
        public var originCoding: String? = "gzip"

        /// The length of the shortest content that is coded. Default: 512 bytes.
        public var minimumBytes = 512

        /// The media types of content that is coded: whole types, `text/*` for all of a kind, and `*+json` for all with a suffix. Default: text,
        /// JSON, XML, JavaScript, WebAssembly, and fonts and images without compression of their own.
        public var mediaTypes = [
            "text/*", "*+json", "*+xml", "application/json", "application/javascript", "application/x-javascript", "application/xml",
            "application/wasm", "application/x-ndjson", "application/vnd.ms-fontobject", "font/ttf", "font/otf", "image/bmp", "image/x-icon",
            "image/vnd.microsoft.icon",
        ]

        /// The most bytes of content that the cache remembers as dictionaries ([RFC 9842](https://www.rfc-editor.org/rfc/rfc9842)); 0: none. A client
        /// may have an earlier version of the content, or other content that a response of the same origin has offered with `Use-As-Dictionary`. It
        /// then gets only the differences (`dcz`). One dictionary takes a quarter of this limit at most. `Vary` then names `Available-Dictionary` as
        /// well. It needs the trait `Zstandard`. Default: 0.
        public var maximumDictionaryBytes = 0

        /// Whether responses that the cache does not store are coded too, such as those for one user.
        ///
        /// Their length tells an observer something of a secret in them, if the observer can also have text put there
        /// ([BREACH](https://breachattack.com)). Default: `false`.
        public var codesUnstored = false

        /// Creates a policy with the defaults; change the properties afterwards.
        public init() {}
    }
}
