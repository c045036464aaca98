// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The keys of a campaign: few, so that processes get into each other's way.
enum CampaignKeys {
    /// Keys that are only ever loaded, and that all processes invalidate.
    static let loaded = 0..<48
    /// Keys that one process each writes, and that the other processes read.
    static let written = 48..<64
    static let count = 64
    static let tagCount = 6
    static let partitionCount = 3

    static func name(_ key: Int) -> String { "key-\(key)" }

    static func key(named name: String) -> Int? {
        guard name.hasPrefix("key-"), let key = Int(name.dropFirst(4)), (0..<count).contains(key) else { return nil }
        return key
    }

    static func tag(_ number: Int) -> String { "tag-\(number)" }
    static func partition(_ number: Int) -> String { "partition-\(number)" }

    static func tagNumber(of key: Int) -> Int? { loaded.contains(key) ? key % tagCount : nil }
    static func partitionNumber(of key: Int) -> Int? { loaded.contains(key) && key % 4 == 0 ? key / 4 % partitionCount : nil }

    static func keys(taggedWith number: Int) -> [Int] { loaded.filter { tagNumber(of: $0) == number } }
    static func keys(inPartition number: Int) -> [Int] { loaded.filter { partitionNumber(of: $0) == number } }

    /// The text of a value: its key and version, so that every value that is read can be judged.
    static func value(key: Int, version: Int) -> String { "\(key):\(version):" + String(repeating: "x", count: key % 5 * 100) }

    /// `nil` if the value is not one of the key's.
    static func version(in value: String, key: Int) -> Int? {
        let parts = value.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let version = Int(parts[1]), value == Self.value(key: key, version: version) else { return nil }
        return version
    }
}
