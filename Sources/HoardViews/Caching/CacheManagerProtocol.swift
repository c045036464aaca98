// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A cache that keeps screens for a ``ViewClient``: Hoard's ``CacheManager``, or an app's own.
///
/// Nothing here throws: a cache that cannot do its work keeps nothing, and the screen is fetched.
public protocol CacheManagerProtocol: Sendable {
    /// Keeps a reference, in place of any other with its identifier. Returns when later calls find it. May suspend.
    func addToCache(_ reference: CacheReference) async

    /// The reference, valid or not, as it was added; `nil` if there is none. Counts as a use, and changes nothing else. May suspend.
    func getReference(identifiedBy identifier: String) async -> CacheReference?

    /// Whether a reference may be shown without asking the server: whether its creation is less than its `maxAge` ago. Never suspends.
    func isValid(reference: CacheReference) -> Bool

    /// Forgets a reference. May suspend.
    func removeReference(identifiedBy identifier: String) async

    /// Forgets all references of a partition, in every tier. May suspend.
    func removePartition(_ partition: String) async

    /// Forgets all references. May suspend.
    func clear() async
}
