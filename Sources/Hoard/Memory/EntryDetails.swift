// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Tags and errors, which few entries have, so that they are kept beside the table. An object, so that those without have only one word to hand on.
@usableFromInline final class EntryDetails: Sendable {
    let tags: Set<String>
    /// The error that the load of a negative entry threw.
    let error: (any Error)?

    @usableFromInline init(tags: Set<String>, error: (any Error)? = nil) {
        self.tags = tags
        self.error = error
    }

    var isEmpty: Bool { tags.isEmpty && error == nil }
}

/// The details of a shard's entries, and which entries have a tag.
@usableFromInline struct EntryDetailsTable: Sendable {
    private var details: [Slot: EntryDetails] = [:]
    private var slots: [String: Set<Slot>] = [:]

    subscript(slot: Slot) -> EntryDetails? { details[slot] }

    mutating func set(_ new: EntryDetails, of slot: Slot) {
        remove(slot)
        details[slot] = new
        for tag in new.tags { slots[tag, default: []].insert(slot) }
    }

    /// Removes the details of an entry and returns them. The owner of the lock lets go of them outside it.
    @discardableResult
    @usableFromInline mutating func remove(_ slot: Slot) -> EntryDetails? {
        guard let old = details.removeValue(forKey: slot) else { return nil }
        for tag in old.tags {
            slots[tag]?.remove(slot)
            if slots[tag]?.isEmpty ?? false { slots[tag] = nil }
        }
        return old
    }

    func slots(taggedWith tag: String) -> Set<Slot> { slots[tag] ?? [] }

    mutating func removeAll() {
        details = [:]
        slots = [:]
    }

    /// Checks that tags and entries agree. For tests.
    func checkInvariants() {
        let tagged = slots.reduce(0) { $0 + $1.value.count }
        precondition(tagged == details.values.reduce(0) { $0 + $1.tags.count }, "a tag is lost")
        precondition(details.allSatisfy { slot, details in details.tags.allSatisfy { slots[$0]?.contains(slot) ?? false } }, "a tag is wrong")
        precondition(details.values.allSatisfy { !$0.isEmpty }, "an entry has details that say nothing")
    }
}
