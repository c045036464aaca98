// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Hoard

@Suite struct RecordNamingTests {
    private func naming(_ name: String?) -> RecordNaming<String> {
        RecordNaming(name: name, recordKey: { RecordKey($0) }, keyOfRecord: { $0.description })
    }

    @Test func cacheWithoutANameUsesPlainKeysAndTags() {
        let naming = naming(nil)
        #expect(naming.recordKey(for: "a") == "a")
        #expect(naming.storeTags(for: ["t"]) == ["t"])
        #expect(naming.tags(ofRecord: ["t"]) == ["t"])
        guard case .key("a") = naming.origin(of: "a") else { Issue.record("not found again"); return }
    }

    @Test func namesKeepKeysApart() throws {
        #expect(naming("users").recordKey(for: "a") != naming("teams").recordKey(for: "a"))
        #expect(naming("a").recordKey(for: "b\u{0}c") != naming("a\u{1}b").recordKey(for: "c"))
        guard case .key("a") = naming("users").origin(of: try #require(naming("users").recordKey(for: "a"))) else {
            Issue.record("not found again"); return
        }
        guard case .foreign = naming("users").origin(of: try #require(naming("teams").recordKey(for: "a"))) else {
            Issue.record("taken for its own"); return
        }
        guard case .foreign = naming("users").origin(of: "a") else { Issue.record("taken for its own"); return }
    }

    @Test func recordsOfANamedCacheHaveItsTagAndTheirOwn() {
        let naming = naming("users")
        let storeTags = naming.storeTags(for: ["t", ""])
        #expect(storeTags.count == 3)
        #expect(storeTags.contains(StoreStack.namespaceTag("users")))
        #expect(naming.tags(ofRecord: storeTags) == ["t", ""])
        #expect(naming.storeTagsToInvalidate(["t"]).isSubset(of: storeTags))
        #expect(!naming.storeTagsToInvalidate(["t"]).contains(StoreStack.namespaceTag("users")))
        #expect(self.naming("teams").tags(ofRecord: storeTags).isEmpty)
    }

    @Test func partitionsOfNamedCachesAreKeptApartAndFoundAgain() {
        for partition in ["ann", "", "größe", "a\u{0}b", "\u{0}", "\u{301}"] {
            let plain = naming(nil).storePartition(for: partition)
            #expect((plain == partition) == !partition.utf8.contains(0), "a name of somebody else's making is none of another cache's")
            #expect(naming(nil).partition(ofRecord: plain).map { Array($0.utf8) } == Array(partition.utf8))
            #expect(naming("a").partition(ofRecord: plain) == nil)
            let stored = naming("users").storePartition(for: partition)
            #expect(stored != naming("teams").storePartition(for: partition))
            #expect(naming("users").partition(ofRecord: stored).map { Array($0.utf8) } == Array(partition.utf8))
            #expect(naming("teams").partition(ofRecord: stored) == nil)
        }
        #expect(naming("users").partition(ofRecord: nil) == nil)
        #expect(naming(nil).partition(ofRecord: nil) == nil)
    }

    @Test func keyThatIsKeptInMemoryOnlyHasNoNameInAStore() {
        for name in [nil, "users"] {
            let naming = RecordNaming<String>(name: name, recordKey: { $0.hasPrefix("!") ? nil : RecordKey($0) }, keyOfRecord: nil)
            #expect(naming.recordKey(for: "!a") == nil)
            #expect(naming.recordKey(for: "a") != nil)
        }
    }

    @Test func keyThatCannotBeNamedIsUnknownOnlyIfItIsTheCachesOwn() throws {
        let naming = RecordNaming<String>(name: "users", recordKey: { RecordKey($0) }, keyOfRecord: nil)
        guard case .unknown = naming.origin(of: try #require(naming.recordKey(for: "a"))) else { Issue.record("should be unknown"); return }
        guard case .foreign = naming.origin(of: "other") else { Issue.record("should be foreign"); return }
    }

    @Test(arguments: ["", "a\u{0}b"]) func uselessNamesAreRefused(name: String) async {
        #expect(name.isEmpty || name.utf8.contains(0))
        await #expect(processExitsWith: .failure) { [name] in
            _ = RecordNaming<String>(name: name, recordKey: { RecordKey($0) }, keyOfRecord: nil)
        }
    }
}
