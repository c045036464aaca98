// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension RecordStoreConformance {
    static func modelChecks(seed: UInt64) -> [Check] {
        [
            Check("random operations do what they do in a plain dictionary") { subject in
                var model = Model(generator: SeededGenerator(seed: seed), subject: subject)
                for step in 1...400 {
                    do {
                        try await model.step()
                    } catch {
                        throw UnmetExpectation("With seed \(seed), at step \(step)", error)
                    }
                }
            }
        ]
    }

    /// A store without limits, as a dictionary, and the random operations that compare the two.
    fileprivate struct Model {
        /// The record that the store should have for a key.
        struct Entry {
            var record: Record
            /// Whether the store may have removed the record, because it was marked stale by a tag or along with everything, or another partition was removed.
            var mayBeGone = false
        }

        var generator: SeededGenerator
        let subject: Subject
        var entries: [RecordKey: Entry] = [:]
        /// Keys whose records have gone with a tag. The store may count them until it finds them.
        var uncertainKeys: Set<RecordKey> = []

        init(generator: SeededGenerator, subject: Subject) {
            self.generator = generator
            self.subject = subject
        }

        mutating func step() async throws {
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<30: try await read(randomKey())
            case 30..<38: try await readMany()
            case 38..<60: try await insert([randomKey(): randomRecord()], inOneCall: false)
            case 60..<64: try await insert(randomRecords(), inOneCall: true)
            case 64..<69: try await remove([randomKey()], inOneCall: false)
            case 69..<71: try await removePartition()
            case 71..<73: try await remove((0..<Int.random(in: 0...4, using: &generator)).map { _ in randomKey() }, inOneCall: true)
            case 73..<78: try await removeTagged()
            case 78..<88: try await markStale()
            case 88..<99: subject.time.advance(by: .seconds(Int.random(in: 1...20, using: &generator)))
            default:
                try await subject.store.removeAll()
                entries = [:]
                uncertainKeys = []
            }
            try await compareCounts()
        }

        private mutating func read(_ key: RecordKey) async throws {
            try compare(try await subject.store.record(forKey: key), key, "At a read")
        }

        private mutating func readMany() async throws {
            let keys = (0..<Int.random(in: 0...8, using: &generator)).map { _ in randomKey() }
            let records = try await subject.store.records(forKeys: keys)
            try expect(Set(records.keys).isSubset(of: keys), "A read of several keys should return no others.")
            for key in Set(keys) { try compare(records[key], key, "At a read of \(keys.count) keys at once") }
        }

        private mutating func compare(_ actual: Record?, _ key: RecordKey, _ circumstances: String) throws {
            var expected = entries[key]
            if let entry = expected, entry.record.isExpired(at: subject.time.now()) { expected = nil }
            if actual == nil, expected?.mayBeGone == true {
                // It was removed rather than marked, and does not come back.
                entries[key] = nil
                return
            }
            if let difference = Subject.difference(between: actual, and: expected?.record) {
                throw UnmetExpectation(message: "\(circumstances), for the key “\(key)”, \(difference).")
            }
            // A record that was found to be marked, and not removed, stays.
            if actual != nil { entries[key]?.mayBeGone = false }
        }

        private mutating func insert(_ records: [RecordKey: Record], inOneCall: Bool) async throws {
            if inOneCall {
                try await subject.store.insert(records)
            } else {
                for (key, record) in records { try await subject.store.insert(record, forKey: key) }
            }
            for (key, record) in records {
                entries[key] = Entry(record: record)
                uncertainKeys.remove(key)
            }
        }

        private mutating func remove(_ keys: [RecordKey], inOneCall: Bool) async throws {
            if inOneCall {
                try await subject.store.removeRecords(forKeys: keys)
            } else {
                for key in keys { try await subject.store.removeRecord(forKey: key) }
            }
            for key in keys {
                entries[key] = nil
                uncertainKeys.remove(key)
            }
        }

        private mutating func removeTagged() async throws {
            let tags = randomTags()
            try await subject.store.removeRecords(taggedWith: tags)
            let gone = entries.filter { !$0.value.record.tags.isDisjoint(with: tags) }.map(\.key)
            for key in gone { entries[key] = nil }
            uncertainKeys.formUnion(gone)
        }

        private mutating func removePartition() async throws {
            let partition = randomPartition()
            try await subject.store.removePartition(partition)
            let gone = entries.filter { ExactText($0.value.record.partition ?? "") == ExactText(partition) }.map(\.key)
            for key in gone { entries[key] = nil }
            uncertainKeys.formUnion(gone)
            // The protocol's own implementation removes everything.
            for key in entries.keys { entries[key]?.mayBeGone = true }
        }

        private mutating func markStale() async throws {
            let date = subject.time.now() + .seconds(Int.random(in: -20...20, using: &generator))
            let marked: [RecordKey]
            let mayRemove: Bool
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                let key = randomKey()
                try await subject.store.markRecordStale(forKey: key, at: date)
                (marked, mayRemove) = ([key], false)
            case 5..<9:
                let tags = randomTags()
                try await subject.store.markRecordsStale(taggedWith: tags, at: date)
                (marked, mayRemove) = (entries.filter { !$0.value.record.tags.isDisjoint(with: tags) }.map(\.key), true)
            default:
                try await subject.store.markAllRecordsStale(at: date)
                (marked, mayRemove) = (Array(entries.keys), true)
            }
            for key in marked {
                _ = entries[key]?.record.endFreshness(at: date)
                if mayRemove { entries[key]?.mayBeGone = true }
            }
        }

        private func compareCounts() async throws {
            let count = try await subject.store.statistics().count
            let certain = entries.values.count { !$0.mayBeGone && !$0.record.isExpired(at: subject.time.now()) }
            let possible = uncertainKeys.union(entries.keys).count
            try expect(
                (certain...possible).contains(count),
                "The store should hold \(certain) records and perhaps some that are to go, \(possible) in all, but holds \(count)."
            )
        }
    }
}

/// Random keys, tags and records.
extension RecordStoreConformance.Model {
    private mutating func randomKey() -> RecordKey { RecordKey("\(Int.random(in: 0..<12, using: &generator))") }

    private mutating func randomTags() -> Set<String> {
        Set((0..<Int.random(in: 1...2, using: &generator)).map { _ in randomTag() })
    }

    /// Of five tags; two of them have two spellings each, which are equal.
    private mutating func randomTag() -> String {
        ["tag 0", "tag 1", "tag 2", "tag \u{E9}", "tag e\u{301}", "\u{212B}", "A\u{30A}"].randomElement(using: &generator) ?? ""
    }

    /// Of four partitions, two of which differ only in their bytes.
    private mutating func randomPartition() -> String {
        ["partition 0", "partition 1", "partition \u{E9}", "partition e\u{301}"].randomElement(using: &generator) ?? ""
    }

    private mutating func randomRecords() -> [RecordKey: Record] {
        var records: [RecordKey: Record] = [:]
        for _ in 0..<Int.random(in: 0...5, using: &generator) { records[randomKey()] = randomRecord() }
        return records
    }

    private mutating func randomRecord() -> Record {
        var tags: Set<String> = []
        for _ in 0..<Int.random(in: 0...3, using: &generator) { tags.insert(randomTag()) }
        let freshFor: Duration? = Bool.random(using: &generator) ? nil : .seconds(Int.random(in: 0...60, using: &generator))
        var record = subject.record(
            Int.random(in: 0..<1_000_000, using: &generator),
            byteCount: Int.random(in: 0...5_000, using: &generator),
            freshFor: freshFor,
            keptFor: Bool.random(using: &generator) ? freshFor.map { $0 * 2 } : nil,
            tags: tags,
            partition: Bool.random(using: &generator) ? randomPartition() : nil
        )
        record.validator = Bool.random(using: &generator) ? "v\(Int.random(in: 0..<10, using: &generator))" : nil
        record.schemaFingerprint = generator.next()
        if Bool.random(using: &generator) { record.staleWhileRevalidate = .seconds(Int.random(in: 0...9, using: &generator)) }
        if Bool.random(using: &generator) { record.staleIfError = .milliseconds(Int.random(in: 0...9_000, using: &generator)) }
        if Bool.random(using: &generator) { record.loadDuration = .microseconds(Int.random(in: 0...9_000_000, using: &generator)) }
        record.isNegative = Int.random(in: 0..<10, using: &generator) == 0
        return record
    }
}
