// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting

/// Hoard's `TieredCache`, with the tutorial's completion handlers before it.
final class HoardObjectStorage: ObjectStorage {
    private let cache: TieredCache<String, Note>
    private let failureCount: Counter

    init(disk: any RecordStore) {
        let (time, failureCount) = (ManualTicker(), Counter())
        self.failureCount = failureCount
        cache = TieredCache(
            configuration: .init(maximumCount: 100),
            stores: [disk],
            codec: .cachable,
            clock: time,
            ticker: time,
            onEvent: { event in if event.kind == .storeFailed { failureCount.increment() } }
        )
    }

    func store(_ object: Note, forKey key: String, completion: @escaping @Sendable (Bool) -> Void) {
        Task {
            let failuresBefore = failureCount.value
            await cache.insert(object, forKey: key)
            completion(failureCount.value == failuresBefore)
        }
    }

    func retrieve(_ key: String, completion: @escaping @Sendable ((any Sendable)?) -> Void) {
        Task { completion(await cache.value(forKey: key)) }
    }
}
