// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore

/// The names of a store's keys on the server.
///
/// Each begins with the store's prefix and `{}:`. The empty braces make a cluster hash the whole key, so that no caller's key can choose the node
/// (<https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags>). A letter for the kind follows, and then the bytes of the
/// name as they are.
struct RedisKeys: Sendable {
    enum Kind: UInt8, Sendable, CaseIterable {
        case record = 0x72  // r
        case tag = 0x74  // t
        case partition = 0x70  // p
        case everything = 0x65  // e
        case lease = 0x6C  // l
    }

    /// The beginning of all keys.
    let prefix: [UInt8]

    init(prefix: String) {
        self.prefix = Array(prefix.utf8) + Array("{}:".utf8)
    }

    func record(_ key: RecordKey) -> [UInt8] { name(.record, key.bytes) }

    func lease(_ key: RecordKey) -> [UInt8] { name(.lease, key.bytes) }

    func scope(_ scope: RecordScope) -> [UInt8] {
        switch scope {
        case .everything: name(.everything, [])
        case .partition(let name): self.name(.partition, name.utf8)
        case .tag(let name): self.name(.tag, name.canonicalForm.utf8)
        }
    }

    private func name(_ kind: Kind, _ bytes: some Collection<UInt8>) -> [UInt8] {
        var name: [UInt8] = []
        name.reserveCapacity(prefix.count + 1 + bytes.count)
        name += prefix
        name.append(kind.rawValue)
        name += bytes
        return name
    }

    /// Returns the kind of a key and the offset of its name; `nil` if the key is not this store's.
    func kind(of key: ByteBuffer) -> (kind: Kind, nameOffset: Int)? {
        guard key.readableBytes > prefix.count, key.readableBytesView.starts(with: prefix) else { return nil }
        guard let letter = key.getInteger(at: key.readerIndex + prefix.count, as: UInt8.self), let kind = Kind(rawValue: letter) else { return nil }
        return (kind, prefix.count + 1)
    }

    /// The pattern of `SCAN` that finds the records, and nothing else.
    var recordPattern: [UInt8] {
        var pattern: [UInt8] = []
        for byte in prefix {
            // A character with a meaning in patterns is escaped, so that it stands for itself.
            if [UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\\"), UInt8(ascii: "^")].contains(byte) {
                pattern.append(UInt8(ascii: "\\"))
            }
            pattern.append(byte)
        }
        return pattern + [Kind.record.rawValue, UInt8(ascii: "*")]
    }
}

/// A group of records that has a generation.
enum RecordScope: Sendable, Hashable {
    /// All records of the store.
    case everything
    case partition(String)
    case tag(String)

    static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.everything, .everything): true
        case (.partition(let left), .partition(let right)): left.utf8.elementsEqual(right.utf8)
        case (.tag(let left), .tag(let right)): left == right
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .everything: hasher.combine(0 as UInt8)
        case .partition(let name): hasher.combine(ExactText(name))
        case .tag(let name): hasher.combine(name)
        }
    }

    /// The groups that a record is in.
    static func all(of record: Record) -> [RecordScope] {
        var scopes: [RecordScope] = [.everything]
        scopes.reserveCapacity(2 + record.tags.count)
        if let partition = record.partition { scopes.append(.partition(partition)) }
        for tag in record.tags { scopes.append(.tag(tag)) }
        return scopes
    }
}
