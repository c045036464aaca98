// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Synchronization

/// An imitation of the tutorial's manager: it completes when memory has the object, hands out the disk's bytes as
/// they are, and forgets the handler of a miss.
final class SeedObjectStorage: ObjectStorage {
    private let memory = Mutex<[String: Note]>([:])
    private let disk: any RecordStore

    init(disk: any RecordStore) { self.disk = disk }

    func store(_ object: Note, forKey key: String, completion: @escaping @Sendable (Bool) -> Void) {
        memory.withLock { $0[key] = object }
        completion(true)
        Task {
            guard let data = try? object.encode() else { return }
            try? await disk.insert(Record(payload: data, created: .now), forKey: RecordKey(key))
        }
    }

    func retrieve(_ key: String, completion: @escaping @Sendable ((any Sendable)?) -> Void) {
        if let object = memory.withLock({ $0[key] }) { return completion(object) }
        Task {
            guard let record = try? await disk.record(forKey: RecordKey(key)) else { return }
            completion(record.payload)
        }
    }
}
