// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation
internal import Hoard
internal import Synchronization

/// A fresh directory for everything that is written, and names in it.
final class Workspace: Sendable {
    private let root: URL
    private let made = Mutex(0)

    /// - Parameter parent: By default the system's temporary directory.
    init(inside parent: String?) throws {
        let parent = parent.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? FileManager.default.temporaryDirectory
        root = parent.appendingPathComponent("disk-benchmarks-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }

    /// Makes a directory, and returns its path.
    func makeDirectory() throws -> String {
        let number = made.withLock { number in
            number += 1
            return number
        }
        let directory = root.appendingPathComponent("\(number)", isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory.path
    }

    func remove() {
        try? FileManager.default.removeItem(at: root)
    }

    static func remove(_ directory: String) {
        try? FileManager.default.removeItem(atPath: directory)
    }
}

/// The keys and payloads that a row works with, made before any clock starts.
struct Material: Sendable {
    /// 30 bytes each.
    let keys: [RecordKey]
    let byteCount: Int
    /// Random bytes. A key's payload is one of them, always the same.
    private let payloads: [Data]

    init(keys count: Int, byteCount: Int, kind: String = "item") {
        keys = (0..<count).map { RecordKey(String(format: "https://example.org/\(kind)/%05d", $0)) }
        self.byteCount = byteCount
        var generator = SystemRandomNumberGenerator()
        payloads = (0..<32).map { _ in
            var words = [UInt64](repeating: 0, count: (byteCount + 7) / 8)
            for index in words.indices { words[index] = generator.next() }
            return words.withUnsafeBytes { Data($0.prefix(byteCount)) }
        }
    }

    func payload(of number: Int) -> Data {
        payloads[number % payloads.count]
    }

    /// `length` numbers of keys.
    func order(length: Int, round: Int, thread: Int = 0) -> [Int] {
        var generator = SeededGenerator(seed: UInt64(1 + round * 1_000 + thread))
        return (0..<length).map { _ in Int.random(in: 0..<keys.count, using: &generator) }
    }

    /// The sum that ``mark(of:)`` of all payloads read in this order must have.
    func sum(of order: [Int]) -> UInt64 {
        let marks = payloads.map { $0.withUnsafeBytes(Material.mark) }
        return order.reduce(0) { $0 &+ marks[$1 % marks.count] }
    }

    /// Depends on the first and last bytes of a payload, so that a payload that was read differs from one that was not.
    static func mark(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        guard bytes.count >= 8 else { return UInt64(bytes.count) }
        let last = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
        return bytes.loadUnaligned(as: UInt64.self) &+ last &+ UInt64(bytes.count)
    }
}
