// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

extension DiskStore {
    /// Returns the changes of other processes, or of other stores in this process, for the tiers above to drop. They are keys that were written,
    /// removed or marked stale, and the tags by which it was done.
    ///
    /// The store looks for changes as often as ``Configuration/invalidationInterval`` says, and whenever a reading notices some. A change by tag is told with
    /// the tag's name; one by partition or of everything, and one that was missed, is told as "any record". Evictions are not told. The stream ends when the store is closed; a subscriber that is slow is told that any record may have changed.
    ///
    /// Never `nil`. Each call makes a stream of its own. Does not suspend.
    public func invalidations() -> AsyncStream<StoreInvalidation>? {
        let stream = core.subscribers.makeStream()
        core.watchForChanges()
        return stream
    }
}
