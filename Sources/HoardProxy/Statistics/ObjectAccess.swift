// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import HoardNIO

/// A request as the miss-ratio curve sees it: a use of one object that is, or could be, in the cache.
struct ObjectAccess: Sendable, Hashable {
    /// How much the content that the client got tells of the object's length.
    enum Length: UInt8, Sendable {
        /// All of the content was sent.
        case whole
        /// A part was sent: a range, or a transfer that broke off. The object is at least that long.
        case part
        /// Nothing was sent that tells the length: `HEAD`, 304 and failed conditions.
        case unknown
    }

    var hash: UInt64
    var bytes: Int
    var length: Length
    /// Whether the origin's content was used.
    var isMiss: Bool
    /// A miss that no size of the cache would have spared: the stored response was stale or did not match.
    var isUnavoidable: Bool

    init(hash: UInt64, bytes: Int, length: Length = .whole, isMiss: Bool, isUnavoidable: Bool = false) {
        self.hash = hash
        self.bytes = bytes
        self.length = length
        self.isMiss = isMiss
        self.isUnavoidable = isUnavoidable
    }

    /// - Returns: `nil` for requests that would not use the cache, however large: bypassed and failed requests, answers
    ///   that the cache made up, and misses whose answer is not stored. A `HEAD` uses an object that is there, and
    ///   brings none in.
    @inline(__always)
    init?(_ report: ExchangeReport, _ identity: RequestIdentity) {
        guard let answer = report.answer else { return nil }
        switch answer.outcome {
        case .hit, .staleHit, .validatedHit, .collapsedHit: isMiss = false
        case .miss:
            guard answer.isStored, identity.isGet, report.status < 500 else { return nil }
            isMiss = true
        case .generated, .failure, .bypass, .abandoned: return nil
        }
        hash = identity.hash
        bytes = max(0, report.contentByteCount)
        isUnavoidable = isMiss && answer.foundUnusable
        switch report.status {
        case 304, 412, 416: length = .unknown
        case _ where !identity.isGet: length = .unknown
        case 206: length = .part
        case _ where !report.isComplete: length = .part
        default: length = .whole
        }
    }
}
