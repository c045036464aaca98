// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

extension RecordStoreConformance {
    static var removalChecks: [Check] {
        [
            Check("a removal removes the record of its key and no other") { subject in
                try await subject.store.insert(subject.record(1), forKey: "a")
                try await subject.store.insert(subject.record(2), forKey: "b")
                try await subject.store.removeRecord(forKey: "a")
                try await subject.expectRecord(nil, forKey: "a", "After its removal")
                try await subject.expectRecord(subject.record(2), forKey: "b", "After another key's removal")
                try await subject.store.removeRecord(forKey: "a")
                try await subject.store.removeRecord(forKey: "never written")
                let count = try await subject.store.statistics().count
                try expect(count == 1, "After the removals the store should hold 1 record, but says \(count).")
            },
            Check("a removal by tag removes the records that have the tag and no others") { subject in
                let tagsOfKeys: [(key: RecordKey, tags: Set<String>)] = [
                    ("none", []), ("one", ["x"]), ("two", ["x", "y"]), ("three", ["x", "y", "z"]), ("upper", ["X"]), ("prefix", ["xx"]),
                ]
                for (number, entry) in tagsOfKeys.enumerated() {
                    try await subject.store.insert(subject.record(number, tags: entry.tags), forKey: entry.key)
                }
                for removedTag in ["unknown", "z", "y", "x"] {
                    try await subject.store.removeRecords(taggedWith: removedTag)
                    let removedTags = removedTag == "unknown" ? [] : Set(["x", "y", "z"].drop { $0 < removedTag })
                    for (number, entry) in tagsOfKeys.enumerated() {
                        let isGone = !entry.tags.isDisjoint(with: removedTags)
                        let expected = isGone ? nil : subject.record(number, tags: entry.tags)
                        try await subject.expectRecord(
                            expected,
                            forKey: entry.key,
                            "After the removal of the tag \(removedTag), for the key “\(entry.key)”"
                        )
                    }
                }
            },
            Check("a removal by several tags removes the records that have at least one of them") { subject in
                let tagsOfKeys: [(key: RecordKey, tags: Set<String>)] = [
                    ("none", []), ("w", ["w"]), ("x", ["x"]), ("y", ["y"]), ("xy", ["x", "y"]), ("wz", ["w", "z"]), ("v", ["v"]),
                ]
                for (number, entry) in tagsOfKeys.enumerated() {
                    try await subject.store.insert(subject.record(number, tags: entry.tags), forKey: entry.key)
                }
                let removals: [(removed: Set<String>, gone: Set<String>)] = [
                    ([], []), (["x", "y", "z", "unknown"], ["x", "y", "z"]), (["v", "w"], ["v", "w", "x", "y", "z"]),
                ]
                for removal in removals {
                    try await subject.store.removeRecords(taggedWith: removal.removed)
                    for (number, entry) in tagsOfKeys.enumerated() {
                        let isGone = !entry.tags.isDisjoint(with: removal.gone)
                        try await subject.expectRecord(
                            isGone ? nil : subject.record(number, tags: entry.tags),
                            forKey: entry.key,
                            "After the removal of \(removal.removed.count) tags at once, for the key “\(entry.key)”"
                        )
                    }
                }
                try await subject.store.insert(subject.record(9, tags: ["x", "v"]), forKey: "x")
                try await subject.expectRecord(subject.record(9, tags: ["x", "v"]), forKey: "x", "After a write with tags that were removed before")
            },
            Check("a tag is one tag in all its spellings, a partition is another in each") { subject in
                let spellings = ["caf\u{E9}", "cafe\u{301}"]
                for written in spellings {
                    for removed in spellings {
                        try await subject.store.insert(subject.record(1, tags: [written]), forKey: "tagged")
                        try await subject.store.removeRecords(taggedWith: removed)
                        try await subject.expectRecord(nil, forKey: "tagged", "After the removal of its tag in \(removed.utf8.count) bytes")
                        let record = subject.record(2, partition: written)
                        try await subject.store.insert(record, forKey: "owned")
                        try await subject.store.removePartition(removed)
                        // A store may remove more than the partition.
                        let isGone = try await subject.store.record(forKey: "owned") == nil
                        let isSame = written.utf8.elementsEqual(removed.utf8)
                        try expect(isGone || !isSame, "After the removal of its partition the record is still there.")
                    }
                }
            },
            Check("removing everything leaves an empty store that works") { subject in
                for number in 0..<20 {
                    try await subject.store.insert(subject.record(number, tags: ["tag"]), forKey: RecordKey("\(number)"))
                }
                try await subject.store.removeAll()
                for number in 0..<20 {
                    try await subject.expectRecord(nil, forKey: RecordKey("\(number)"), "After the removal of everything")
                }
                let count = try await subject.store.statistics().count
                try expect(count == 0, "After the removal of everything the store should hold nothing, but says \(count).")
                try await subject.store.insert(subject.record(1), forKey: "1")
                try await subject.store.removeRecords(taggedWith: "tag")
                try await subject.expectRecord(subject.record(1), forKey: "1", "After the removal of a tag that only a removed record had")
            },
        ]
    }
}
