// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The content of the records of a campaign. It is a function of the key's number and the
/// version, so that any record can be judged.
enum Content {
    /// The number of tasks that write. Only task `n` writes the keys whose number is `n` modulo
    /// this number, so their order is known.
    static let ownerCount = 4
    /// The number of tags that each owner's records have.
    static let tagsPerOwner = 3
    /// The greatest length of a payload. It is enough for a payload to have its own file in every kind of store.
    static let maximumPayloadByteCount = 300 << 10

    static func owner(ofKey key: Int) -> Int { key % ownerCount }

    /// The key with this number. One key in seven is long and has bytes that are no UTF-8.
    static func key(_ number: Int) -> RecordKey {
        guard number % 7 == 3 else { return RecordKey("key \(number)") }
        return RecordKey(bytes: Array("key \(number) ".utf8) + (0..<1500).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) })
    }

    /// The number of the version's tag among the owner's tags, if the version has a tag.
    static func tag(key: Int, version: Int) -> Int? {
        var generator = generator(key: key, version: version)
        let choice = Int.random(in: 0..<tagsPerOwner + 1, using: &generator)
        return choice == tagsPerOwner ? nil : owner(ofKey: key) * tagsPerOwner + choice
    }

    static func tagName(_ tag: Int) -> String { "tag \(tag)" }

    static func record(key: Int, version: Int, maximumByteCount: Int = maximumPayloadByteCount) -> Record {
        var tags: Set<String> = ["all", "key \(key)"]
        if let tag = tag(key: key, version: version) { tags.insert(tagName(tag)) }
        return Record(
            payload: payload(key: key, version: version, maximumByteCount: maximumByteCount),
            created: Date(timeIntervalSinceReferenceDate: 600_000_000 + Double(version % 1_000_000)),
            tags: tags,
            validator: "\(key):\(version):\(maximumByteCount)",
            contentType: version % 2 == 0 ? nil : "application/x-torture",
            schemaFingerprint: UInt64(truncatingIfNeeded: version) &* 0x1_0000_0001
        )
    }

    /// The version of a record that was read under `key`, or `nil` if any part of the record
    /// belongs to another version.
    static func version(of record: Record, key: Int) -> Int? {
        guard
            let parts = record.validator?.split(separator: ":").map({ Int($0) }), parts.count == 3,
            parts[0] == key, let version = parts[1], let maximum = parts[2], (0...maximumPayloadByteCount).contains(maximum)
        else { return nil }
        var expected = Self.record(key: key, version: version, maximumByteCount: maximum)
        expected.lastAccess = record.lastAccess
        return record == expected ? version : nil
    }

    private static func payload(key: Int, version: Int, maximumByteCount: Int) -> Data {
        var generator = generator(key: key, version: version)
        // The first number has chosen the tag.
        _ = generator.next()
        let count = min(byteCount(&generator), maximumByteCount)
        // The noise has blocks of 512 bytes that differ by a number, because debug builds take
        // long to make much noise.
        let block = (0..<64).map { _ in generator.next() }
        var bytes = [UInt8](repeating: 0, count: count)
        bytes.withUnsafeMutableBytes { buffer in
            block.withUnsafeBytes { noise in
                for start in stride(from: 0, to: count, by: noise.count) {
                    let length = min(noise.count, count - start)
                    UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + length])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: noise[..<length]))
                    if length >= 8 { buffer.storeBytes(of: block[0] &+ UInt64(start), toByteOffset: start, as: UInt64.self) }
                }
            }
        }
        return Data(bytes)
    }

    private static func byteCount(_ generator: inout SplitMixGenerator) -> Int {
        switch Int.random(in: 0..<100, using: &generator) {
        case ..<8: 0
        case ..<40: Int.random(in: 1...2048, using: &generator)
        case ..<65: Int.random(in: 2049...16 << 10, using: &generator)
        case ..<70: (1 << Int.random(in: 9...16, using: &generator)) + Int.random(in: -1...1, using: &generator)
        case ..<88: Int.random(in: 16 << 10...64 << 10, using: &generator)
        default: Int.random(in: 64 << 10...maximumPayloadByteCount, using: &generator)
        }
    }

    private static func generator(key: Int, version: Int) -> SplitMixGenerator {
        SplitMixGenerator(seed: UInt64(truncatingIfNeeded: key) &* 0x1000_0000_01b3, part: version)
    }
}
