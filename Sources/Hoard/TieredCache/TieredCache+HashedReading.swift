// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension TieredCache {
    /// Uses the value of a key if memory has it fresh and without need of a closer look. Never suspends.
    ///
    /// For callers that know a key's hash and can recognise the key, but have not created it. Counts as a use. If `use` returns `nil`, the caller
    /// asks again in another way, and that call is counted as the request.
    ///
    /// - Parameters:
    ///   - hashValue: The key's `hashValue`. Not for integers and strings, which the cache hashes by itself.
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
