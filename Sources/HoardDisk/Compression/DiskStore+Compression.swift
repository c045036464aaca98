// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension DiskStore {
    /// The compression of the payloads of a store's records.
    public struct Compression: Sendable, Hashable {
        /// zlib's level; `nil`: no compression.
        let level: Int?

        private init(level: Int?) {
            self.level = level
        }

        /// Payloads are stored as they are.
        public static var none: Compression { Compression(level: nil) }

        /// Payloads are compressed with zlib (RFC 1950) where it saves at least an eighth.
        ///
        /// Those of less than 512 bytes, and those whose content type or first bytes show that they are compressed already,
        /// stay as they are. Records stay readable when the setting changes.
        ///
        /// - Parameter level: From 1, the fastest, to 9, the smallest; numbers beyond count as the nearest of these.
        public static func zlib(level: Int = 1) -> Compression { Compression(level: min(max(level, 1), 9)) }
    }
}
