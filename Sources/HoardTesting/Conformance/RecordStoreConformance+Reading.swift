// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension RecordStoreConformance {
    static var readingChecks: [Check] {
        [
            Check("a record comes back with every field as it was written") { subject in
                var record = subject.record(1, freshFor: .milliseconds(60_250), keptFor: .seconds(3_600), tags: ["user", "größe", ""])
                record.validator = "\"etag-\u{1F980}\""
                record.contentType = "text/plain; charset=utf-8"
                record.schemaFingerprint = .max
                try await subject.store.insert(record, forKey: "key")
                try await subject.expectRecord(record, forKey: "key", "After a write")
                record.partition = "ann größe"
                try await subject.store.insert(record, forKey: "key")
                try await subject.expectRecord(record, forKey: "key", "After a write to a partition")
            },
            Check("a record comes back with its durations and as a negative one") { subject in
                var record = subject.record(1, freshFor: .seconds(60), keptFor: .seconds(3_600))
                record.staleWhileRevalidate = .milliseconds(1_500)
                try await subject.store.insert(record, forKey: "key")
                try await subject.expectRecord(record, forKey: "key", "After a write with staleWhileRevalidate")
                record.staleIfError = .seconds(86_400)
                record.loadDuration = .nanoseconds(1)
                try await subject.store.insert(record, forKey: "key")
                try await subject.expectRecord(record, forKey: "key", "After a write with all durations")
                record.loadDuration = .zero
                record.staleWhileRevalidate = .zero
                try await subject.store.insert(record, forKey: "key")
                try await subject.expectRecord(record, forKey: "key", "After a write of a record that took no time to load")
                var negative = Record(payload: Data(), created: subject.time.now(), staleUntil: .forever, tags: ["tag"])
                negative.isNegative = true
                try await subject.store.insert(negative, forKey: "key")
                try await subject.expectRecord(negative, forKey: "key", "After a write of a negative record")
                negative.loadDuration = .seconds(2)
                negative.validator = "none"
                try await subject.store.insert(negative, forKey: "key")
                try await subject.expectRecord(negative, forKey: "key", "After a write of a negative record that took long")
                try await subject.store.insert(subject.record(2), forKey: "key")
                try await subject.expectRecord(subject.record(2), forKey: "key", "After a write over a negative record")
                try await subject.store.insert(negative, forKey: "key")
                try await subject.store.removeRecords(taggedWith: "tag")
                try await subject.expectRecord(nil, forKey: "key", "After the removal of a negative record's tag")
            },
            Check("a record without optional fields comes back without them") { subject in
                let record = Record(payload: Data(), created: subject.time.now(), staleUntil: .forever)
                try await subject.store.insert(record, forKey: "key")
                try await subject.expectRecord(record, forKey: "key", "After a write")
            },
            Check("a miss is nil") { subject in
                try await subject.expectRecord(nil, forKey: "absent", "In an empty store")
                try await subject.store.insert(subject.record(), forKey: "present")
                try await subject.expectRecord(nil, forKey: "absent", "With another key's record in the store")
            },
            Check("a write replaces the record whole") { subject in
                var old = subject.record(1, byteCount: 2_000, freshFor: .seconds(60), tags: ["old"])
                old.validator = "old"
                old.contentType = "text/old"
                let new = subject.record(2, byteCount: 10, tags: ["new"])
                try await subject.store.insert(old, forKey: "key")
                try await subject.store.insert(new, forKey: "key")
                try await subject.expectRecord(new, forKey: "key", "After a second write of the key")
                try await subject.store.removeRecords(taggedWith: "old")
                try await subject.expectRecord(new, forKey: "key", "After a removal by a tag that only the older record had")
                let count = try await subject.store.statistics().count
                try expect(count == 1, "After two writes of one key the store should hold 1 record, but says \(count).")
            },
            Check("a payload of one mebibyte comes back unchanged") { subject in
                let record = subject.record(1, byteCount: 1 << 20)
                try await subject.store.insert(record, forKey: "large")
                try await subject.store.insert(subject.record(2), forKey: "small")
                try await subject.expectRecord(record, forKey: "large", "After a write of 1 MiB")
                try await subject.expectRecord(subject.record(2), forKey: "small", "Beside a record of 1 MiB")
            },
            Check("reading changes neither dates nor content") { subject in
                let record = subject.record(1, freshFor: .seconds(10), keptFor: .seconds(100))
                try await subject.store.insert(record, forKey: "key")
                for _ in 0..<9 {
                    subject.time.advance(by: .seconds(10))
                    try await subject.expectRecord(record, forKey: "key", "After some reads")
                }
                subject.time.advance(by: .seconds(10))
                try await subject.expectRecord(nil, forKey: "key", "When the time of a record that was read often is up")
            },
            Check("the last access advances with reads") { subject in
                let written = subject.time.now()
                try await subject.store.insert(subject.record(), forKey: "key")
                for _ in 0..<2 {
                    subject.time.advance(by: .seconds(24 * 3_600))
                    _ = try await subject.store.record(forKey: "key")
                }
                guard let lastAccess = try await subject.store.record(forKey: "key")?.lastAccess else {
                    throw UnmetExpectation(message: "A record that never expires should be there after two days, but is not.")
                }
                try expect(lastAccess > written, "After two days of reads lastAccess should be later than the write, but is not.")
                try expect(lastAccess <= subject.time.now(), "lastAccess should not lie in the future, but does.")
            },
        ]
    }
}
