// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// How the keys and tags of one cache are called in stores, which it may share with other caches.
///
/// A cache with a name keeps its records under keys that begin with the name, and gives each of them a tag that stands for the cache, so that
/// a store can drop them all at once.
struct RecordNaming<Key: Sendable>: Sendable {
    /// What a record key of a store stands for.
    enum Origin {
        case key(Key)
        /// A record of another cache.
        case foreign
        /// A record of this cache, of whatever key.
        case unknown
    }

    let name: String?
    private let prefix: [UInt8]
    private let recordKey: @Sendable (Key) -> RecordKey
    private let keyOfRecord: (@Sendable (RecordKey) -> Key?)?

    init(name: String?, recordKey: @escaping @Sendable (Key) -> RecordKey, keyOfRecord: (@Sendable (RecordKey) -> Key?)?) {
        precondition(name.map { !$0.isEmpty && !$0.utf8.contains(0) } ?? true, "A cache's name must not be empty and must not contain U+0000.")
        self.name = name
        self.recordKey = recordKey
        self.keyOfRecord = keyOfRecord
        prefix = name.map { Array($0.utf8) + [0] } ?? []
    }

    func recordKey(for key: Key) -> RecordKey {
        prefix.isEmpty ? recordKey(key) : RecordKey(bytes: prefix + recordKey(key).bytes)
    }

    func origin(of recordKey: RecordKey) -> Origin {
        guard recordKey.bytes.starts(with: prefix) else { return .foreign }
        let own = prefix.isEmpty ? recordKey : RecordKey(bytes: recordKey.bytes.dropFirst(prefix.count))
        return keyOfRecord?(own).map { .key($0) } ?? .unknown
    }

    /// The tags of a record, for those of its value.
    func storeTags(for tags: Set<String>) -> Set<String> {
        guard let name else { return tags }
        return Set(tags.map { "\(name)\u{0}\($0)" }).union([StoreStack.namespaceTag(name)])
    }

    /// The tags of a value, for those of its record.
    func tags(ofRecord storeTags: Set<String>) -> Set<String> {
        guard let name else { return storeTags }
        let prefix = "\(name)\u{0}"
        return Set(storeTags.compactMap { $0.utf8.starts(with: prefix.utf8) ? String($0.dropFirst(prefix.count)) : nil })
    }

    /// The tags by which a store finds the records with these tags.
    func storeTagsToInvalidate(_ tags: Set<String>) -> Set<String> {
        guard let name else { return tags }
        return Set(tags.map { "\(name)\u{0}\($0)" })
    }
}
