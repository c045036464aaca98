// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension TieredCache {
    /// Uses the value of a key, if memory has it, fresh and needing no closer look. Never suspends.
    ///
    /// For callers that know the hash of a key, and can tell it when they see it, but have not made it. Counts as a use. If `use` returns `nil`,
    /// the caller asks again in another way, and that is what is counted as a request.
    ///
    /// - Parameters:
    ///   - hashValue: The key's `hashValue`. Not for keys that the cache hashes by itself, which are integers and strings.
    ///   - isMatch: Whether a key is the one meant. Called under the cache's lock.
    ///   - use: Called outside all locks.
    /// - Complexity: O(1).
    @inlinable @inline(__always)
    package func withFreshMemoryValue<Result>(hashValue: Int, where isMatch: (Key) -> Bool, _ use: (Value) -> Result?) -> Result? {
        guard let found = memory.valueIfPresent(hashValue: hashValue, where: isMatch) else { return nil }
        if needsNoCloserLook(found), let value = found.value, let result = use(value) {
            if isObserved { observer?.requestAnswered(.hit, tier: .memory, cache: label) }
            return result
        }
        noteCloserLook(found)
        return nil
    }
}
