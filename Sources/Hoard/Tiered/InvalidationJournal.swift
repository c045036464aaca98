// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// What a store should have removed, but could not.
///
/// A key in the journal must not be read from its store before the removal has been made good. The journal is bounded:
/// when it overflows, the store as a whole counts as invalid until everything has been removed from it.
/// It lives in memory; a process that ends while its store is failing cannot make the removal good.
struct InvalidationJournal {
    /// The most keys remembered one by one.
    let maximumCount: Int

    private var keys: Set<RecordKey> = []
    private(set) var coversEverything = false

    init(maximumCount: Int = 10_000) {
        self.maximumCount = maximumCount
    }

    var isEmpty: Bool { keys.isEmpty && !coversEverything }

    func contains(_ key: RecordKey) -> Bool {
        coversEverything || keys.contains(key)
    }

    mutating func add(_ key: RecordKey) {
        guard !coversEverything else { return }
        keys.insert(key)
        if keys.count > maximumCount { addEverything() }
    }

    mutating func addEverything() {
        coversEverything = true
        keys = []
    }

    /// The store holds nothing invalid under `key` any more.
    mutating func settle(_ key: RecordKey) {
        keys.remove(key)
    }

    /// The store is empty.
    mutating func settleEverything() {
        self = InvalidationJournal(maximumCount: maximumCount)
    }
}
