// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Where a ``CacheManager`` keeps references beyond the life of the process: a ``DefaultCacheDiskManager``, or an app's own.
///
/// Nothing here throws: a change that cannot be made is not made, and a reference that cannot be read is not there. A
/// ``CacheManager`` makes one change at a time; readings may go on beside it.
public protocol CacheDiskManagerProtocol: Sendable {
    /// Writes a reference, in place of any other with its identifier, as the most recently used one. A sensitive one is not written; whatever was there before
    /// is gone all the same. May suspend.
    func update(_ reference: CacheReference) async

    /// The reference, as it was written; `nil` if there is none. Counts as a use, and changes nothing else. May suspend.
    func getReference(for key: String) async -> CacheReference?

    /// Removes a reference. May suspend.
    func removeReference(for key: String) async

    /// How many references there are. May suspend.
    func numberOfReferences() async -> Int

    /// Removes the least recently used reference. May suspend.
    func removeLeastRecentlyUsed() async

    /// Removes the least recently used references until no more than `count` are left. May suspend. By default they are removed one by one.
    func removeLeastRecentlyUsed(keeping count: Int) async

    /// Counts as a use of each reference, in this order. May suspend. By default they are read.
    func noteUses(ofReferencesFor keys: [String]) async

    /// Removes the references of a partition. May suspend.
    func removePartition(_ partition: String) async

    /// Removes all references. May suspend.
    func clear() async

    /// Returns when everything that was asked for before is done, uses included. May suspend.
    func saveChanges() async

    /// Returns the changes that others than this instance make, so that memory drops them. `nil` (the default) if no other can make any.
    func changesByOthers() -> AsyncStream<CacheDiskChange>?
}

extension CacheDiskManagerProtocol {
    public func changesByOthers() -> AsyncStream<CacheDiskChange>? { nil }

    public func removeLeastRecentlyUsed(keeping count: Int) async {
        for _ in 0..<max(0, await numberOfReferences() - max(0, count)) { await removeLeastRecentlyUsed() }
    }

    public func noteUses(ofReferencesFor keys: [String]) async {
        for key in keys { _ = await getReference(for: key) }
    }
}

extension CacheDiskManagerProtocol {
    /// Removes the least recently used reference, under the name that Beagle's documentation gives it. May suspend.
    @available(*, deprecated, renamed: "removeLeastRecentlyUsed()")
    public func removeLastUsed() async { await removeLeastRecentlyUsed() }
}
