// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

extension RecordStoreConformance {
    static var partitionChecks: [Check] {
        [
            Check("a removal by partition removes its records, and all others or none") { subject in
                let owners: [(key: RecordKey, partition: String?, tags: Set<String>)] = [
                    ("nobody's", nil, []), ("ann's", "ann", []), ("ann's too", "ann", ["bob"]), ("bob's", "bob", []), ("tagged", nil, ["ann"]),
                    ("tagged and bob's", "bob", ["ann"]), ("upper", "Ann", []), ("longer", "annann", []), ("empty", "", []),
                ]
                for removed in ["nobody", "ann", ""] {
                    for (number, owner) in owners.enumerated() {
                        try await subject.store.insert(subject.record(number, tags: owner.tags, partition: owner.partition), forKey: owner.key)
                    }
                    try await subject.store.removePartition(removed)
                    var others: [RecordKey: Record] = [:]
                    for (number, owner) in owners.enumerated() {
                        if owner.partition == removed {
                            try await subject.expectRecord(nil, forKey: owner.key, "After the removal of its partition, for the key “\(owner.key)”")
                        } else {
                            others[owner.key] = subject.record(number, tags: owner.tags, partition: owner.partition)
                        }
                    }
                    try await subject.expectAllOrNone(others, "After the removal of a partition")
                }
            },
            Check("a removal by partition concerns what a key has now") { subject in
                let store = subject.store
                try await store.insert(subject.record(1, partition: "ann"), forKey: "moved away")
                try await store.insert(subject.record(2, partition: "bob"), forKey: "moved away")
                try await store.insert(subject.record(3, partition: "bob"), forKey: "moved here")
                try await store.insert(subject.record(4, partition: "ann"), forKey: "moved here")
                try await store.insert(subject.record(5, partition: "ann"), forKey: "rewritten")
                try await store.removePartition("ann")
                try await subject.expectAllOrNone(["moved away": subject.record(2, partition: "bob")], "After another partition's removal")
                try await subject.expectRecord(nil, forKey: "moved here", "After the removal of the partition it had been written to last")
                for number in 6...7 {
                    let record = subject.record(number, byteCount: 50_000, partition: "ann")
                    try await store.insert(record, forKey: "rewritten")
                    try await subject.expectRecord(record, forKey: "rewritten", "After a write to a partition that was removed before")
                    try await store.removePartition("ann")
                    try await store.removePartition("ann")
                    try await subject.expectRecord(nil, forKey: "rewritten", "After its partition's second removal")
                }
            },
        ]
    }
}

extension RecordStoreConformance.Subject {
    /// Ends the check unless the store has exactly these records, or none of them, as after the protocol's own implementation of the removal of a partition.
    fileprivate func expectAllOrNone(_ records: [RecordKey: Record], _ circumstances: String) async throws {
        var present: [RecordKey] = []
        for key in records.keys where try await store.record(forKey: key) != nil { present.append(key) }
        if present.isEmpty { return }
        for (key, record) in records {
            try await expectRecord(record, forKey: key, "\(circumstances) that left others, for the key “\(key)”")
        }
    }
}
