// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// The record of a prefetch: its result, and its use.
///
/// ```swift
/// let prefetch = try await client.prefetch("/offers")
/// …
/// if prefetch.use == .unused { /* no user went there: prefetch less */ }
/// ```
public final class Prefetch: Sendable {
    /// The result of a prefetch.
    public struct Outcome: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The screen came from the server.
        public static var fetched: Self { Self(description: #function) }
        /// The screen was there already, and valid. No request was sent.
        public static var alreadyKept: Self { Self(description: #function) }
        /// The screen was there already, and the server has confirmed it.
        public static var renewed: Self { Self(description: #function) }
        /// Nothing: the server is away, and a screen is there that is not valid any more.
        public static var standIn: Self { Self(description: #function) }
        /// Nothing: too many prefetches are under way.
        public static var skippedTooMany: Self { Self(description: #function) }
        /// Nothing: data is to be saved.
        public static var skippedToSaveData: Self { Self(description: #function) }
        /// The response is longer than the prefetch may be, and was given up.
        public static var skippedTooLarge: Self { Self(description: #function) }
        /// Nothing: the request is not a GET without content, so its answer could be of no use to another.
        public static var notRepeatable: Self { Self(description: #function) }
    }

    /// Whether a prefetch was of use.
    public struct Use: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// Its screen is kept, and no fetch has asked for it yet.
        public static var pending: Self { Self(description: #function) }
        /// A fetch has got its screen.
        public static var used: Self { Self(description: #function) }
        /// Its time has passed, it had to make room, it was removed, or it brought nothing.
        public static var unused: Self { Self(description: #function) }
    }

    /// The URL that was asked for, in its normal form.
    public let url: String
    /// The outcome of the prefetch.
    public let outcome: Outcome
    /// The length of the screen in bytes; 0 if there is none.
    public let byteCount: Int
    private let record: PrefetchRecord?

    /// Whether it was of use, as it stands now. O(1).
    public var use: Use { record?.use ?? .unused }

    init(url: String, outcome: Outcome, byteCount: Int = 0, record: PrefetchRecord? = nil) {
        self.url = url
        self.outcome = outcome
        self.byteCount = byteCount
        self.record = record
    }

    /// A prefetch of which nothing is kept. Public for the sake of fakes.
    public convenience init(url: String, outcome: Outcome) {
        self.init(url: url, outcome: outcome, byteCount: 0)
    }
}

/// Whether a screen that was prefetched has been used. The shelf writes it, and the caller that has prefetched reads it.
final class PrefetchRecord: Sendable {
    /// The time until which the screen is kept, in the ticker's nanoseconds.
    let deadline: Int64
    private let ticker: any Ticker
    private let settled: Mutex<Prefetch.Use?>

    init(deadline: Int64, ticker: any Ticker, use: Prefetch.Use? = nil) {
        self.deadline = deadline
        self.ticker = ticker
        settled = Mutex(use)
    }

    var use: Prefetch.Use {
        settled.withLock { $0 } ?? (ticker.nanoseconds() < deadline ? .pending : .unused)
    }

    /// Sets its use, once; later calls do nothing.
    func settle(_ use: Prefetch.Use) {
        settled.withLock { $0 = $0 ?? use }
    }
}
