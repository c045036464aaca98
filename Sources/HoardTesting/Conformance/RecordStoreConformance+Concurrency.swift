// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

extension RecordStoreConformance {
    /// - Parameter limit: How many records the stores may hold; `nil` for stores without limits of their own.
    static func concurrencyChecks(limit: Int?) -> [Check] {
        let name = "many tasks at once get whole records\(limit == nil ? "" : ", and the limit by count holds")"
        return [
            Check(name, maximumCount: limit) { subject in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<8 {
                        group.addTask { try await exercise(subject, task: task, limit: limit) }
                    }
                    try await group.waitForAll()
                }
                let count = try await subject.store.statistics().count
                let most = limit ?? 40
                try expect(count <= most, "At most \(most) records should be held, but the store holds \(count).")
            },
            Check("a read that begins when a write has returned sees it, from any task") { subject in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<8 {
                        group.addTask {
                            for round in 0..<25 {
                                let record = subject.record(task * 1_000 + round)
                                try await subject.store.insert(record, forKey: RecordKey("\(task)"))
                                try await subject.expectRecord(record, forKey: RecordKey("\(task)"), "Right after its write, beside other tasks")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            },
        ]
    }

    /// Makes a record whose other contents follow from its schema fingerprint, which holds its key's number too.
    private static func record(_ subject: Subject, _ keyNumber: Int, task: Int, round: Int) -> Record {
        let number = keyNumber + 40 * (task * 100 + round)
        var record = subject.record(number, byteCount: 100 + number % 3_000)
        record.schemaFingerprint = UInt64(number)
        return record
    }

    private static func expectWhole(_ record: Record?, keyNumber: Int) throws {
        guard let record else { return }
        let number = Int(record.schemaFingerprint)
        try expect(number % 40 == keyNumber, "A read should return a record of its own key, but returned another key's.")
        try expect(
            record.payload == Subject.payload(number, byteCount: 100 + number % 3_000),
            "A read should return one whole record, but returned a mixture."
        )
    }

    /// Reads, writes and removes records that other tasks read, write and remove too.
    private static func exercise(_ subject: Subject, task: Int, limit: Int?) async throws {
        var generator = SeededGenerator(seed: UInt64(task))
        for round in 0..<100 {
            let keyNumber = Int.random(in: 0..<40, using: &generator)
            let key = RecordKey("\(keyNumber)")
            switch Int.random(in: 0..<10, using: &generator) {
            case 0:
                try await subject.store.removeRecord(forKey: key)
            case 1...3:
                try await subject.store.insert(record(subject, keyNumber, task: task, round: round), forKey: key)
            case 4:
                let other = (keyNumber + 1) % 40
                try await subject.store.insert([
                    key: record(subject, keyNumber, task: task, round: round),
                    RecordKey("\(other)"): record(subject, other, task: task, round: round),
                ])
            case 5:
                try await subject.store.markRecordStale(forKey: key, at: subject.time.now())
            case 6:
                let keys = (0..<5).map { RecordKey("\((keyNumber + $0) % 40)") }
                let records = try await subject.store.records(forKeys: keys)
                for (offset, key) in keys.enumerated() { try expectWhole(records[key], keyNumber: (keyNumber + offset) % 40) }
            default:
                try expectWhole(try await subject.store.record(forKey: key), keyNumber: keyNumber)
            }
            if let limit, round % 20 == 0 {
                let count = try await subject.store.statistics().count
                try expect(count <= limit, "At most \(limit) records should be held while tasks write, but the store holds \(count).")
            }
        }
    }
}
