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

    @Test func namesKeepKeysApart() {
        #expect(naming("users").recordKey(for: "a") != naming("teams").recordKey(for: "a"))
        #expect(naming("a").recordKey(for: "b\u{0}c") != naming("a\u{1}b").recordKey(for: "c"))
        guard case .key("a") = naming("users").origin(of: naming("users").recordKey(for: "a")) else { Issue.record("not found again"); return }
        guard case .foreign = naming("users").origin(of: naming("teams").recordKey(for: "a")) else { Issue.record("taken for its own"); return }
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

    @Test func keyThatCannotBeNamedIsUnknownOnlyIfItIsTheCachesOwn() {
        let naming = RecordNaming<String>(name: "users", recordKey: { RecordKey($0) }, keyOfRecord: nil)
        guard case .unknown = naming.origin(of: naming.recordKey(for: "a")) else { Issue.record("should be unknown"); return }
        guard case .foreign = naming.origin(of: "other") else { Issue.record("should be foreign"); return }
    }

    @Test(arguments: ["", "a\u{0}b"]) func uselessNamesAreRefused(name: String) async {
        #expect(name.isEmpty || name.utf8.contains(0))
        await #expect(processExitsWith: .failure) { [name] in
            _ = RecordNaming<String>(name: name, recordKey: { RecordKey($0) }, keyOfRecord: nil)
        }
    }
}
