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
                    } catch let expectation as UnmetExpectation {
                        throw UnmetExpectation(message: "With seed \(seed), at step \(step): \(expectation.message)")
                    }
                }
            }
        ]
    }

    /// A store without limits, as a dictionary, and the random operations that compare the two.
    private struct Model {
        var generator: SeededGenerator
        let subject: Subject
        var records: [RecordKey: Record] = [:]

        init(generator: SeededGenerator, subject: Subject) {
            self.generator = generator
            self.subject = subject
        }

        mutating func step() async throws {
            let key = RecordKey("\(Int.random(in: 0..<12, using: &generator))")
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<40:
                try await subject.expectRecord(expectedRecord(forKey: key), forKey: key, "At a read")
            case 40..<75:
                let record = randomRecord()
                try await subject.store.insert(record, forKey: key)
                records[key] = record
            case 75..<85:
                try await subject.store.removeRecord(forKey: key)
                records[key] = nil
            case 85..<90:
                let tag = randomTag()
                try await subject.store.removeRecords(taggedWith: tag)
                records = records.filter { !$0.value.tags.contains(tag) }
            case 90..<99:
                subject.time.advance(by: .seconds(Int.random(in: 1...30, using: &generator)))
            default:
                try await subject.store.removeAll()
                records = [:]
            }
            let count = try await subject.store.statistics().count
            let liveCount = records.values.count { !$0.isExpired(at: subject.time.now()) }
            try expect(
                (liveCount...records.count).contains(count),
                "The store should hold \(liveCount) records and perhaps expired ones, \(records.count) in all, but holds \(count)."
            )
        }

        private func expectedRecord(forKey key: RecordKey) -> Record? {
            records[key].flatMap { $0.isExpired(at: subject.time.now()) ? nil : $0 }
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
                tags: tags
            )
            record.validator = Bool.random(using: &generator) ? "v\(Int.random(in: 0..<10, using: &generator))" : nil
            record.schemaFingerprint = generator.next()
            return record
        }

        private mutating func randomTag() -> String {
            "tag \(Int.random(in: 0..<5, using: &generator))"
        }
    }
}
