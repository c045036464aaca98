// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Hoard
internal import HoardDisk
internal import HoardHTTP

/// A record as `ls` and `show` describe it, in words and as JSON.
struct RecordDescription: Encodable {
    /// The whole key, if it is text.
    let key: String
    /// For a response: whether the cache was private or shared.
    let scope: String?
    let url: String?
    /// For a response that was selected by request fields: those fields.
    let variant: String?
    /// The length of the payload.
    let bytes: Int
    /// Its length as it is stored.
    let storedBytes: Int
    /// The bytes that the record is charged against the limit of the cache.
    let chargedBytes: Int
    let compressed: Bool
    /// Whether the payload has a file of its own.
    let inFile: Bool
    let created: Date
    let freshUntil: Date?
    let keptUntil: Date?
    let lastUsed: Date
    let tags: [String]
    let validator: String?
    let contentType: String?
    let partition: String?
    /// Seconds after `freshUntil`; `nil` if there are none.
    let staleWhileRevalidate: Double?
    let staleIfError: Double?
    /// The seconds that loading took, if they were measured.
    let loadDuration: Double?
    /// Whether the record says that its source has no value.
    let negative: Bool

    init(_ summary: DiskStore.EntrySummary) {
        // A piece of a body has no URL.
        let httpKey = HTTPCacheKey(recordKey: summary.key).flatMap { $0.isSegment ? nil : $0 }
        self.key = summary.key.description
        self.scope = httpKey?.scope
        self.url = httpKey?.targetURI
        self.variant = httpKey?.variant.map { variant in
            variant.split(separator: "\n").dropFirst().joined(separator: ", ")
        }
        self.bytes = summary.payloadByteCount
        self.storedBytes = summary.storedByteCount
        self.chargedBytes = summary.chargedByteCount
        self.compressed = summary.isCompressed
        self.inFile = summary.isInFile
        self.created = summary.created
        self.freshUntil = summary.freshUntil
        self.keptUntil = summary.staleUntil
        self.lastUsed = summary.lastAccess
        self.tags = summary.tags.sorted()
        self.validator = summary.validator
        self.contentType = summary.contentType
        self.partition = summary.partition
        self.staleWhileRevalidate = summary.staleWhileRevalidate > .zero ? seconds(summary.staleWhileRevalidate) : nil
        self.staleIfError = summary.staleIfError > .zero ? seconds(summary.staleIfError) : nil
        self.loadDuration = summary.loadDuration.map(seconds)
        self.negative = summary.isNegative
    }

    /// The record's name for a person: its URL and variant, or its key.
    var name: String {
        guard let url else { return key }
        return variant.map { "\(url)  (\($0))" } ?? url
    }

    /// The time left until the record is stale: `5m`, `stale`, `expired`, or `always`.
    func freshness(at now: Date) -> String {
        if let keptUntil, keptUntil <= now { return "expired" }
        guard let freshUntil else { return "always" }
        let seconds = freshUntil.timeIntervalSince(now)
        return seconds > 0 ? shortInterval(seconds) : "stale"
    }
}

private func seconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) + Double(attoseconds) * 1e-18
}

/// A time span in its largest unit: `12s`, `5m`, `3h`, `8d`.
func shortInterval(_ seconds: TimeInterval) -> String {
    switch seconds {
    case ..<0: "0s"
    case ..<120: "\(Int(seconds))s"
    case ..<7_200: "\(Int(seconds / 60))m"
    case ..<172_800: "\(Int(seconds / 3600))h"
    case ..<1e11: "\(Int(seconds / 86_400))d"
    default: "for ever"
    }
}
