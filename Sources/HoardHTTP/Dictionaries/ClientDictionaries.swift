// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The dictionaries that a client has, and offers to servers: [RFC 9842](https://www.rfc-editor.org/rfc/rfc9842). In memory alone.
final class ClientDictionaries: Sendable {
    /// A dictionary, as long as the response that it is the content of is fresh.
    struct Held: Sendable {
        let dictionary: CompressionDictionary
        let freshUntil: Date
    }

    /// No origin and no partition is told of the dictionaries of another.
    private struct Site: Hashable {
        let partition: String?
        let origin: Substring
    }

    /// The newest last.
    private let sites: Cache<Site, [Held]>
    private let isUsed = Atomic(false)
    /// Longer content is no dictionary.
    let maximumLength: Int
    private static let maximumCountPerSite = 16

    init(maximumBytes: Int = 8 << 20) {
        maximumLength = maximumBytes / 4
        sites = Cache(maximumWeight: maximumBytes) { _, held in held.reduce(256) { $0 + $1.dictionary.content.count + 256 } }
    }

    /// Whether there has never been any, which is so for most clients.
    var isUnused: Bool { !isUsed.load(ordering: .relaxed) }

    func add(_ held: Held, of uri: String, partition: String?) {
        guard !held.dictionary.content.isEmpty, held.dictionary.content.count <= maximumLength else { return }
        isUsed.store(true, ordering: .relaxed)
        sites.update(forKey: site(uri, partition)) { known in
            var known = (known ?? []).filter { $0.dictionary.digest != held.dictionary.digest }
            // All of one site have no more room than one alone may have twice.
            while known.count >= Self.maximumCountPerSite || known.reduce(0, { $0 + $1.dictionary.content.count }) > maximumLength {
                known.removeFirst()
            }
            return known + [held]
        }
    }

    /// The dictionary to offer with a request for a URI: of those that fit, the one with the longest pattern, and of these the newest
    /// ([RFC 9842 §2.2.3](https://www.rfc-editor.org/rfc/rfc9842#section-2.2.3)).
    func best(for uri: String, partition: String?, now: Date) -> CompressionDictionary? {
        let known = sites.value(forKey: site(uri, partition)) ?? []
        let fitting = known.filter { $0.freshUntil > now && $0.dictionary.use.isForAnyDestination && $0.dictionary.use.pattern.matches(uri) }
        return fitting.reversed().max { $0.dictionary.use.patternLength < $1.dictionary.use.patternLength }?.dictionary
    }

    /// Forgets a dictionary that a server has taken for another.
    func remove(_ dictionary: CompressionDictionary, of uri: String, partition: String?) {
        sites.update(forKey: site(uri, partition)) { known in
            let kept = (known ?? []).filter { $0.dictionary.digest != dictionary.digest }
            return kept.isEmpty ? nil : kept
        }
    }

    private func site(_ uri: String, _ partition: String?) -> Site { Site(partition: partition, origin: CacheGroups.origin(of: uri)) }
}
