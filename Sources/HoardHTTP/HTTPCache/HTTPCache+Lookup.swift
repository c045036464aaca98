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

extension HTTPCache {
    /// The result of a lookup.
    struct Found: Sendable {
        var response: StoredResponse?
        /// Where it was found.
        var key: HTTPCacheKey?
        /// The tier in which it was found.
        var tier = AnswerReport.Tier.none
        /// The key of the URI, or the canonical key that it shares with others.
        var base: HTTPCacheKey
        /// There are responses for the URI, but none that the request selects.
        var isVaryMiss = false
        /// The variant that the request selects by the fields that were named last.
        var variant: VariantIndex.Variant?

        /// Whether it was found under the key of the URI itself, with its content in one entry.
        func isOneEntry(of key: HTTPCacheKey) -> Bool { base == key && self.key == key && response?.body.references.isEmpty ?? true }
    }

    /// Finds the stored response that a request selects: of several, the most recent one ([RFC 9111 §4.1](https://www.rfc-editor.org/rfc/rfc9111#section-4.1)).
    ///
    /// The URI as it is comes first; then those that differ from it by parts of the query that do not matter.
    ///
    /// - Parameter isInMemory: Whether memory may have something of the URI.
    func lookUp(_ key: HTTPCacheKey, _ selectingFields: HTTPFields, isInMemory: Bool = true) async -> Found {
        var found = await lookUp(base: key, selectingFields, isInMemory: isInMemory)
        // An answer to QUERY stands for no other content.
        if found.response != nil || key.isQuery { return found }
        for rules in await searchRules(for: key) {
            let other = await lookUp(base: key.canonicalKey(rules), selectingFields)
            if other.response != nil { return other }
            if other.isVaryMiss || !found.isVaryMiss { found = other }
        }
        return found
    }

    /// The rules by which responses for the path of a key have said that parts of the query do not matter.
    func searchRules(for key: HTTPCacheKey) async -> [NoVarySearch] {
        guard mayHaveSearchRules.load(ordering: .acquiring) else { return [] }
        return if case .searchRules(let rules)? = await entries.lookup(forKey: key.searchRulesKey)?.value { rules } else { [] }
    }

    private func lookUp(base: HTTPCacheKey, _ selectingFields: HTTPFields, isInMemory: Bool = true) async -> Found {
        var found = Found(base: base)
        guard let lookup = isInMemory ? await entries.lookup(forKey: base) : await entries.storedLookup(forKey: base) else { return found }
        switch lookup.value {
        case .response: take(lookup, at: base, into: &found)
        case .variants(let index):
            found.isVaryMiss = true
            for fieldNames in index.fieldNameSets {
                guard let variant = variant(fieldNames, selectingFields) else { continue }
                if found.variant == nil { found.variant = variant }
                let key = base.variantKey(variant, in: index)
                if let lookup = await entries.lookup(forKey: key) { take(lookup, at: key, into: &found) }
            }
        case .segment, .searchRules: break
        }
        return found
    }

    /// Returns memory's result for the URI as it is; `nil` if the stores have to be asked.
    func lookUpInMemory(_ key: HTTPCacheKey, _ selectingFields: @autoclosure () -> HTTPFields) -> Found? {
        entries.memoryLookup(forKey: key).flatMap { take($0, at: key, selectingFields()) }
    }

    /// The same for a caller that has the entry of the URI itself from memory already.
    ///
    /// - Parameter lookup: That entry.
    func take(_ lookup: Lookup<HTTPCacheEntry>, at key: HTTPCacheKey, _ selectingFields: @autoclosure () -> HTTPFields) -> Found? {
        var found = Found(base: key)
        switch lookup.value {
        case .response: take(lookup, at: key, into: &found)
        case .variants(let index):
            let selectingFields = selectingFields()
            for fieldNames in index.fieldNameSets {
                guard let variant = variant(fieldNames, selectingFields) else { continue }
                if found.variant == nil { found.variant = variant }
                let variantKey = key.variantKey(variant, in: index)
                // If memory lacks one of them, it may be the most recent.
                guard let lookup = entries.memoryLookup(forKey: variantKey) else { return nil }
                take(lookup, at: variantKey, into: &found)
            }
        case .segment, .searchRules: return nil
        }
        return found.response == nil ? nil : found
    }

    private func take(_ lookup: Lookup<HTTPCacheEntry>, at key: HTTPCacheKey, into found: inout Found) {
        guard case .response(let response) = lookup.value else { return }
        if let other = found.response, other.responseTime >= response.responseTime { return }
        let now = clock.now()
        let isMarked = isMarkedStale(lookup, response, at: now)
        found.response = isMarked ? response.markedStale(at: min(lookup.freshUntil ?? now, now), rules: rules) : response
        found.key = key
        found.tier = lookup.tier == .memory ? .memory : .store
        found.isVaryMiss = false
    }

    /// Whether an entry has been marked stale: it is stale before its own time, or was.
    private func isMarkedStale(_ lookup: Lookup<HTTPCacheEntry>, _ response: StoredResponse, at now: Date) -> Bool {
        if lookup.isFresh { return false }
        let freshness = response.freshness
        if freshness.timeToLive(at: now) > 0 { return true }
        // The periods for which a stale response may be used begin with the mark. Stores may round dates.
        let ownEnd = response.responseTime.addingTimeInterval(freshness.timeToLive(at: response.responseTime))
        return lookup.freshUntil.map { ownEnd.timeIntervalSince($0) >= 1 } ?? false
    }
}
