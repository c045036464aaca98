// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

extension RecordStoreConformance {
    static var expirationChecks: [Check] {
        [
            Check("a record is a miss from the very moment of staleUntil on") { subject in
                let record = subject.record(1, freshFor: .seconds(60))
                try await subject.store.insert(record, forKey: "key")
                subject.time.advance(by: .milliseconds(59_999))
                try await subject.expectRecord(record, forKey: "key", "A millisecond before its time is up")
                subject.time.advance(by: .milliseconds(1))
                try await subject.expectRecord(nil, forKey: "key", "At the moment its time is up")
                subject.time.advance(by: .seconds(1_000_000))
                try await subject.expectRecord(nil, forKey: "key", "Long after its time is up")
            },
            Check("a record that is stale but has not expired is returned") { subject in
                let record = subject.record(1, freshFor: .seconds(10), keptFor: .seconds(100))
                try await subject.store.insert(record, forKey: "key")
                subject.time.advance(by: .seconds(10))
                try await subject.expectRecord(record, forKey: "key", "When a record is no longer fresh")
                subject.time.advance(by: .seconds(90))
                try await subject.expectRecord(nil, forKey: "key", "When a stale record's time is up")
            },
            Check("a record without staleUntil never expires") { subject in
                let record = subject.record(1, freshFor: nil)
                try await subject.store.insert(record, forKey: "key")
                subject.time.advance(by: .seconds(100 * 366 * 24 * 3_600))
                try await subject.expectRecord(record, forKey: "key", "After a hundred years")
            },
            Check("a record that has expired before it is written is a miss") { subject in
                let record = subject.record(1, freshFor: .seconds(60))
                try await subject.store.insert(subject.record(2), forKey: "key")
                subject.time.advance(by: .seconds(60))
                try await subject.store.insert(record, forKey: "key")
                try await subject.expectRecord(nil, forKey: "key", "After a write of an expired record over one that never expires")
            },
            Check("a new record under the key of an expired one is returned") { subject in
                try await subject.store.insert(subject.record(1, freshFor: .seconds(60)), forKey: "key")
                subject.time.advance(by: .seconds(60))
                let record = subject.record(2, freshFor: .seconds(60))
                try await subject.store.insert(record, forKey: "key")
                subject.time.advance(by: .seconds(59))
                try await subject.expectRecord(record, forKey: "key", "After a write over an expired record")
            },
        ]
    }
}
