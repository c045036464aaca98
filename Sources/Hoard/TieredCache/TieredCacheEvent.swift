// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// An event of a ``TieredCache`` that its owner may want to log.
///
/// The text holds no keys and no values. A store that fails many times in a row is reported when it begins to
/// fail and again when it has recovered, not each time.
public struct TieredCacheEvent: Sendable, CustomStringConvertible {
    /// The kind of an event.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// A store has begun to fail. The cache goes on without it.
        public static var storeFailed: Self { Self(description: #function) }
        /// A store that had failed works again: it has done the operation that had failed, or a harder one. A write is harder than a removal, and
        /// a removal is harder than a read.
        public static var storeRecovered: Self { Self(description: #function) }
        /// A store has failed so often in a row that the cache leaves it alone for a while.
        public static var circuitOpened: Self { Self(description: #function) }
        /// A store that was left alone has answered, and is used again.
        public static var circuitClosed: Self { Self(description: #function) }
        /// A store has missed more invalidations than are remembered. It is not read until everything has been removed from it.
        public static var journalOverflowed: Self { Self(description: #function) }
        /// A record had another schema or could not be decoded. It was removed and counts as a miss.
        public static var recordRejected: Self { Self(description: #function) }
        /// A value could not be encoded. It is kept in memory only.
        public static var valueNotEncoded: Self { Self(description: #function) }
    }

    /// The kind of event.
    public let kind: Kind
    /// The name of the store concerned.
    public let store: String
    /// One sentence.
    public let description: String
    /// The error that was thrown, if any.
    public let underlyingError: (any Error)?
}
