// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The names that the keys, tags and partitions of one cache have in stores. Other caches may use the same stores.
///
/// A cache with a name keeps its records under keys that begin with the name. Each record also has a tag that stands for the cache, so that a
/// store can drop all of them at once.
@usableFromInline struct RecordNaming<Key: Hashable & Sendable>: Sendable {
    /// The owner of a record key in a store.
    enum Origin {
        case key(Key)
        /// A record of another cache.
        case foreign
        /// A record of this cache, whose key is not known.
        case unknown
    }

    let name: String?
    @usableFromInline let prefix: [UInt8]
    @usableFromInline let recordKey: @Sendable (Key) -> RecordKey?
    private let keyOfRecord: (@Sendable (RecordKey) -> Key?)?

    init(name: String?, recordKey: @escaping @Sendable (Key) -> RecordKey?, keyOfRecord: (@Sendable (RecordKey) -> Key?)?) {
        precondition(name.map { !$0.isEmpty && !$0.utf8.contains(0) } ?? true, "A cache's name must not be empty and must not contain U+0000.")
        // Names of caches are compared as Swift compares strings.
        let name = name?.canonicalForm
        self.name = name
        self.recordKey = RecordKeyAudit.auditing(recordKey)
        self.keyOfRecord = keyOfRecord
        prefix = name.map { Array($0.utf8) + [0] } ?? []
    }

    /// Whether a record's key leads back to the cache's key.
    var canTellKeys: Bool { keyOfRecord != nil }

    /// The record key of a key; `nil` if the key is kept in memory only. Stores never hear of such a key.
    @inlinable func recordKey(for key: Key) -> RecordKey? {
        prefix.isEmpty ? recordKey(key) : recordKey(key).map { RecordKey(bytes: prefix + $0.bytes) }
    }

    func origin(of recordKey: RecordKey) -> Origin {
        guard recordKey.bytes.starts(with: prefix) else { return .foreign }
        let own = prefix.isEmpty ? recordKey : RecordKey(bytes: recordKey.bytes.dropFirst(prefix.count))
        return keyOfRecord?(own).map { .key($0) } ?? .unknown
    }

    /// Turns the tags of a value into those of its record.
    func storeTags(for tags: Set<String>) -> Set<String> {
        guard let name else { return tags }
        return Set(tags.map { "\(name)\u{0}\($0)" }).union([StoreStack.namespaceTag(name)])
    }

    /// Turns the tags of a record into those of its value.
    func tags(ofRecord storeTags: Set<String>) -> Set<String> {
        guard let name else { return storeTags }
        let prefix = "\(name)\u{0}"
        return Set(storeTags.compactMap { $0.utf8.starts(with: prefix.utf8) ? String($0.dropFirst(prefix.count)) : nil })
    }

    /// Turns the partition of a value into that of its record. Two caches never share one, whatever their partitions are called.
    func storePartition(for partition: String) -> String {
        if let name { return "\(name)\u{0}\(partition)" }
        return partition.utf8.contains(0) ? "\u{0}\(partition)" : partition
    }

    /// Turns the partition of a record into that of its value.
    func partition(ofRecord storePartition: String?) -> String? {
        guard let storePartition else { return nil }
        let prefix = (name ?? "") + "\u{0}"
        guard storePartition.utf8.starts(with: prefix.utf8) else { return name == nil ? storePartition : nil }
        return String(storePartition.unicodeScalars.dropFirst(prefix.unicodeScalars.count))
    }

    /// The terms of a record's value.
    @usableFromInline func terms(of record: Record, hasValidator: Bool = true) -> EntryTerms {
        var terms = EntryTerms(record, tags: tags(ofRecord: record.tags), partition: partition(ofRecord: record.partition))
        if !hasValidator { terms.validator = nil }
        return terms
    }

    /// The tags by which a store finds the records with these tags.
    func storeTagsToInvalidate(_ tags: Set<String>) -> Set<String> {
        guard let name else { return tags }
        return Set(tags.map { "\(name)\u{0}\($0)" })
    }
}
