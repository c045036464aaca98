// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

extension RecordStoreConformance {
    /// The checks that a `SharedRecordStore` must pass beside those of a `RecordStore`.
    public static var sharingChecks: [SharingCheck] { tellingChecks + guardedWriteChecks + guardedBulkChecks }

    /// Checks of the changes that the other instances are told of.
    private static var tellingChecks: [SharingCheck] {
        [
            SharingCheck("records that one has written are read by the others as they were") { subject in
                var record = subject.subject.record(
                    1,
                    byteCount: 3_000,
                    freshFor: .seconds(10),
                    keptFor: .seconds(100),
                    tags: ["t", "ü"],
                    partition: "p"
                )
                record.validator = "\"v\""
                record.contentType = "text/plain"
                record.schemaFingerprint = 42
                try await subject.here.insert(record, forKey: "a")
                try await subject.otherSubject.expectRecord(record, forKey: "a", "Read by another instance")
                try await subject.there.removeRecord(forKey: "a")
                try await subject.subject.expectRecord(nil, forKey: "a", "Removed by another instance")
            },
            SharingCheck("writes and removals of keys are told to the others") { subject in
                let hearing = Hearing(subject.there)
                let (store, record) = (subject.here, subject.subject.record())
                func expectHeard(_ keys: [RecordKey], _ what: String) async throws {
                    for key in keys {
                        try await subject.eventually("\(what) should be told, for the key “\(key)”.") { hearing.concerns(key) }
                    }
                    hearing.forget()
                }
                try await store.insert(record, forKey: "a")
                try await expectHeard(["a"], "A write")
                try await store.insert(record, forKey: "a")
                try await expectHeard(["a"], "A second write")
                try await store.insert(["b": record, "c": record])
                try await expectHeard(["b", "c"], "A write of two records")
                try await subject.load(record, forKey: "d", in: store, "With nothing changed")
                try await expectHeard(["d"], "A load")
                try await store.markRecordStale(forKey: "a", at: subject.time.now())
                try await expectHeard(["a"], "A stale mark")
                try await store.removeRecord(forKey: "a")
                try await expectHeard(["a"], "A removal")
                try await store.removeRecords(forKeys: ["b", "c"])
                try await expectHeard(["b", "c"], "A removal of two records")
            },
            SharingCheck("removals and stale marks by tag, by partition and of everything are told to the others") { subject in
                let hearing = Hearing(subject.there)
                let store = subject.here
                try await store.insert(subject.subject.record(tags: ["t", "u"], partition: "p"), forKey: "a")
                try await store.removeRecords(taggedWith: ["t", "ü"])
                try await subject.eventually("A removal by tag should be told.") { hearing.concerns(tag: "t") && hearing.concerns(tag: "ü") }
                hearing.forget()
                try await store.markRecordsStale(taggedWith: ["u"], at: subject.time.now())
                try await subject.eventually("A stale mark by tag should be told.") { hearing.concerns(tag: "u") }
                hearing.forget()
                try await store.removePartition("p")
                try await subject.eventually("A removal of a partition should be told.") { hearing.concerns(partition: "p") }
                hearing.forget()
                try await store.markAllRecordsStale(at: subject.time.now())
                try await subject.eventually("A stale mark of everything should be told.") { hearing.all.contains { $0.isOfEverything } }
                hearing.forget()
                try await store.removeAll()
                try await subject.eventually("A removal of everything should be told.") { hearing.all.contains { $0.isOfEverything } }
            },
            SharingCheck("a removal of what is not there is told to the others") { subject in
                let hearing = Hearing(subject.there)
                try await subject.here.removeRecord(forKey: "absent")
                try await subject.here.removeRecords(taggedWith: "unknown")
                try await subject.eventually("A removal of no record should be told.") { hearing.concerns("absent") }
                try await subject.eventually("A removal by a tag that nobody has should be told.") { hearing.concerns(tag: "unknown") }
            },
            SharingCheck("nobody is told of changes of its own, nor after its watch has ended") { subject in
                let (own, ended, others) = (Hearing(subject.here), Hearing(subject.there), Hearing(subject.there))
                ended.cancel()
                try await subject.here.insert(subject.subject.record(), forKey: "own")
                try await subject.eventually("A write should be told to the others.") { others.concerns("own") }
                // News come in order: when this is heard, nothing of before is still on its way.
                try await subject.there.insert(subject.subject.record(), forKey: "last")
                try await subject.eventually("A write should be told to the first instance.") { own.concerns("last") }
                try expect(!own.all.contains { $0.key == "own" }, "An instance should not be told of what it has written itself.")
                try expect(ended.all.isEmpty, "A watch that has been cancelled should not be told anything.")
            },
            SharingCheck("the stream of invalidations tells the same, if there is one") { subject in
                guard let stream = subject.there.invalidations() else { return }
                let hearing = Finish()
                let listening = Task {
                    for await invalidation in stream where invalidation.key == "a" || invalidation.isOfEverything { hearing.finish() }
                }
                defer { listening.cancel() }
                try await subject.here.insert(subject.subject.record(), forKey: "a")
                try await subject.eventually("The stream should tell of a write.") { hearing.isFinished }
            },
            SharingCheck("what is read after a change was heard is at least as new") { subject in
                let (store, other) = (subject.here, subject.there)
                let hearing = Hearing(other)
                for number in 1...100 {
                    try await store.insert(subject.subject.record(number), forKey: "a")
                    try await subject.eventually("Write \(number) should be told.") { hearing.concerns("a") }
                    hearing.forget()
                    try await subject.otherSubject.expectRecord(subject.subject.record(number), forKey: "a", "After write \(number) was heard of")
                }
            },
        ]
    }

    /// Checks of the loads that may be published.
    private static var guardedWriteChecks: [SharingCheck] {
        /// A change by the other instance, that keeps a load from being published that began before.
        func refusal(_ what: String, _ change: @escaping @Sendable (SharingSubject) async throws -> Void) -> SharingCheck {
            SharingCheck("a load that began before \(what) by another is not published") { subject in
                let before = subject.subject.record(1, freshFor: .seconds(100), tags: ["t", "u"], partition: "p")
                let loaded = subject.subject.record(2, freshFor: .seconds(100), tags: ["t", "x"], partition: "p")
                for isThere in [false, true] {
                    if isThere { try await subject.load(before, forKey: "a", in: subject.here, "With nothing changed") }
                    // The store may need to have seen the record to know that it has changed.
                    _ = try await subject.here.record(forKey: "a")
                    let position = subject.here.position
                    try await change(subject)
                    let left = try await subject.there.record(forKey: "a")
                    let isWritten = try await subject.here.insert(loaded, forKey: "a", ifUnchangedSince: position)
                    try expect(!isWritten, "After \(what)\(isThere ? "" : " of nothing"), a load that began before should be refused.")
                    // A store may hear of a mark after it has written. The record that it has written in the place of a stale one is stale then, too.
                    // Or it may hear of a removal by tag then: no reader finds the record that it has written, and the record replaced is lost.
                    let found = try await subject.there.record(forKey: "a")
                    let now = subject.time.now()
                    let isStaleAsBefore = left?.isFresh(at: now) == false && found?.isFresh(at: now) == false && found?.payload == loaded.payload
                    if found != nil, !isStaleAsBefore {
                        try await subject.otherSubject.expectRecord(left, forKey: "a", "After \(what), when an older load was refused")
                    }
                    try await subject.load(loaded, forKey: "a", in: subject.here, "After \(what)")
                    try await subject.otherSubject.expectRecord(loaded, forKey: "a", "After \(what) and a load that began then")
                    try await subject.here.removeRecord(forKey: "a")
                }
            }
        }
        return [
            refusal("a write") { try await $0.there.insert($0.subject.record(3, freshFor: .seconds(100)), forKey: "a") },
            refusal("a write of several") {
                try await $0.there.insert(["a": $0.subject.record(3, freshFor: .seconds(100)), "b": $0.subject.record(4)])
            },
            refusal("a removal") { try await $0.there.removeRecord(forKey: "a") },
            refusal("a removal of several") { try await $0.there.removeRecords(forKeys: ["a", "b"]) },
            refusal("a removal by tag") { try await $0.there.removeRecords(taggedWith: "t") },
            refusal("a removal by a tag that only the new value has") { try await $0.there.removeRecords(taggedWith: "x") },
            refusal("a stale mark by tag") { try await $0.there.markRecordsStale(taggedWith: ["t"], at: $0.time.now()) },
            refusal("a stale mark of everything") { try await $0.there.markAllRecordsStale(at: $0.time.now()) },
            refusal("a removal of its partition") { try await $0.there.removePartition("p") },
            refusal("a removal of everything") { try await $0.there.removeAll() },
            SharingCheck("a load is published if others have changed other keys and tags") { subject in
                let record = subject.subject.record(1, tags: ["t"], partition: "p")
                _ = try await subject.here.record(forKey: "a")
                let position = subject.here.position
                try await subject.there.insert(subject.subject.record(2), forKey: "other")
                try await subject.there.removeRecord(forKey: "another")
                try await subject.there.removeRecords(taggedWith: "other tag")
                try await subject.there.removePartition("other partition")
                let isWritten = try await subject.here.insert(record, forKey: "a", ifUnchangedSince: position)
                try expect(isWritten, "A load whose key and tags nobody has changed should be published.")
                try await subject.otherSubject.expectRecord(record, forKey: "a", "After the load")
            },
            SharingCheck("a load of a key that was never looked for is published or refused as others") { subject in
                let record = subject.subject.record(1, tags: ["t"])
                let position = subject.here.position
                try expect(
                    try await subject.here.insert(record, forKey: "new", ifUnchangedSince: position),
                    "A load of a key that nobody has touched should be published."
                )
                let later = subject.here.position
                try await subject.there.removeRecord(forKey: "never read")
                try expect(
                    try await !subject.here.insert(record, forKey: "never read", ifUnchangedSince: later),
                    "A load of a key that this instance has never read should be refused if another has removed it meanwhile."
                )
            },
            SharingCheck("positions never go back") { subject in
                var last = subject.here.position
                for number in 0..<50 {
                    switch number % 3 {
                    case 0: try await subject.there.insert(subject.subject.record(number), forKey: "a")
                    case 1: try await subject.here.insert(subject.subject.record(number), forKey: "a")
                    default: try await subject.there.removeRecords(taggedWith: "t")
                    }
                    let position = subject.here.position
                    try expect(position >= last, "A position should not be before an earlier one.")
                    last = position
                }
            },
            SharingCheck("of several that load at the same time only one publishes", storeCount: 4) { subject in
                for round in 0..<40 {
                    let key = RecordKey("round \(round)")
                    let positions = subject.stores.map(\.position)
                    let winners = try await withThrowingTaskGroup(of: Int?.self) { group in
                        for (number, store) in subject.stores.enumerated() {
                            group.addTask {
                                let record = subject.subject.record(number)
                                return try await store.insert(record, forKey: key, ifUnchangedSince: positions[number]) ? number : nil
                            }
                        }
                        return try await group.reduce(into: [Int]()) { winners, winner in if let winner { winners.append(winner) } }
                    }
                    try expect(winners.count == 1, "In round \(round), one of four should publish, but \(winners.count) did.")
                    try await subject.subject.expectRecord(subject.subject.record(winners[0]), forKey: key, "In round \(round)")
                }
            },
            SharingCheck("nothing is brought back after a removal while many load", storeCount: 3) { subject in
                // A number in the source, which each change makes greater before it removes the stored record.
                let source = Source()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for store in subject.stores {
                        group.addTask {
                            for _ in 0..<40 {
                                let position = store.position
                                let number = source.value
                                await Task.yield()
                                try await store.insert(subject.subject.record(number, tags: ["t"]), forKey: "a", ifUnchangedSince: position)
                            }
                        }
                    }
                    group.addTask {
                        for number in 1...30 {
                            source.value = number
                            if number.isMultiple(of: 2) {
                                try await subject.there.removeRecord(forKey: "a")
                            } else {
                                try await subject.there.removeRecords(taggedWith: "t")
                            }
                            guard let record = try await subject.here.record(forKey: "a") else { continue }
                            try expect(
                                record.payload == subject.subject.record(number).payload,
                                "After removal \(number), a record that is older than the removal should not be there."
                            )
                        }
                    }
                    try await group.waitForAll()
                }
            },
        ]
    }

    private static var guardedBulkChecks: [SharingCheck] {
        [
            SharingCheck("of several loads at once only those are refused that others have changed") { subject in
                let old = subject.subject.record(0)
                try await subject.there.insert(old, forKey: "1")
                try await subject.load(old, forKey: "0", in: subject.here, "With nothing changed")
                _ = try await subject.here.records(forKeys: ["0", "1", "2", "3", "4"])
                let position = subject.here.position
                let written = subject.subject.record(9)
                try await subject.there.insert(written, forKey: "1")
                try await subject.there.removeRecord(forKey: "2")
                try await subject.there.removeRecords(taggedWith: "t")
                var records: [RecordKey: Record] = [:]
                for number in 0..<5 { records[RecordKey("\(number)")] = subject.subject.record(number + 10, tags: number == 3 ? ["t"] : ["u"]) }
                let refused = try await subject.here.insert(records, ifUnchangedSince: position)
                try expect(refused == ["1", "2", "3"], "Three of five should be refused, but \(refused.map(\.description).sorted()) were.")
                try await subject.otherSubject.expectRecords(
                    ["0": subject.subject.record(10, tags: ["u"]), "1": written, "4": subject.subject.record(14, tags: ["u"])],
                    forKeys: ["0", "1", "2", "3", "4"],
                    "After a load of five keys"
                )
                let none = try await subject.here.insert([:], ifUnchangedSince: position)
                try expect(none.isEmpty, "Of no records none should be refused.")
            }
        ]
    }
}
