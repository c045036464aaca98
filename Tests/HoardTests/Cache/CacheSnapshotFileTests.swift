// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

@Suite struct CacheSnapshotFileTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let time = ManualTicker()

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path(of: "cache")
    }

    private func makeCache(_ keys: Range<Int> = 0..<0) -> Cache<Int, String> {
        let cache = Cache<Int, String>(maximumCount: 1_000, ticker: time)
        for key in keys { cache.insert("value \(key)", forKey: key, tags: ["\(key % 3)"]) }
        return cache
    }

    /// Restores into a cache that must stay as it is. Returns the code of the error.
    private func codeOfFailingRestore(maximumBytes: Int = 1 << 20) -> SnapshotError.Code? {
        let cache = makeCache(500..<503)
        let before = cache.statistics
        defer {
            #expect(cache.count == 3)
            #expect(cache.statistics == before)
        }
        do throws(SnapshotError) {
            try cache.restore(from: path, maximumBytes: maximumBytes, clock: time)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func cacheComesBackFromItsFile() throws {
        let cache = makeCache(0..<50)
        cache.insert("pinned", forKey: 100, weight: 0)
        cache.insert("short", forKey: 101, expiresAfter: .seconds(10))
        #expect(try cache.save(to: path, clock: time) == 52)
        time.advance(by: .seconds(4))
        let other = makeCache()
        #expect(try other.restore(from: path, clock: time) == 52)
        #expect((0..<50).allSatisfy { other.peek($0) == "value \($0)" })
        #expect(other.explain(100).entry?.segment == .pinned)
        #expect(other.explain(101).entry?.timeLeft == .seconds(6))
        #expect(other.removeValues(taggedWith: "1") == 17)
        other.checkInvariants()
    }

    @Test func newerFileTakesThePlaceOfTheOlderOne() throws {
        try makeCache(0..<10).save(to: path)
        try makeCache(20..<23).save(to: path)
        let other = makeCache()
        #expect(try other.restore(from: path) == 3)
        #expect(try directory.names() == ["cache"])
        #expect(try directory.mode(of: "cache") == 0o600)
    }

    @Test func emptyCacheMakesAFileToo() throws {
        #expect(try makeCache().save(to: path) == 0)
        #expect(try makeCache().restore(from: path) == 0)
    }

    @Test func fileThatIsNotThereIsNotFound() {
        #expect(codeOfFailingRestore() == .notFound)
    }

    @Test func everyTruncationIsNoticed() throws {
        try makeCache(0..<5).save(to: path)
        let bytes = try directory.bytes(of: "cache")
        for count in stride(from: 0, to: bytes.count, by: 7) {
            try directory.write(Array(bytes.prefix(count)), to: "cache")
            let code = codeOfFailingRestore()
            #expect(code == .corrupt || count < 8 && code == .foreign, "\(count) bytes: \(String(describing: code))")
        }
    }

    @Test func everyFlippedBitIsNoticed() throws {
        try makeCache(0..<3).save(to: path)
        let bytes = try directory.bytes(of: "cache")
        let codes: Set<SnapshotError.Code?> = [.corrupt, .foreign, .newerFormat]
        for position in stride(from: 0, to: bytes.count, by: 3) {
            var changed = bytes
            changed[position] ^= 1 << UInt8(position % 8)
            try directory.write(changed, to: "cache")
            #expect(codes.contains(codeOfFailingRestore()), "byte \(position)")
        }
    }

    @Test func foreignFileIsRecognised() throws {
        try directory.write("{ \"not\": \"a snapshot\" }", to: "cache")
        #expect(codeOfFailingRestore() == .foreign)
    }

    @Test func fileOfACacheWithOtherTypesIsRefused() throws {
        let other = Cache<Int, Int>(maximumCount: 10)
        other.insert(1, forKey: 1)
        try other.save(to: path)
        #expect(codeOfFailingRestore() == .wrongSchema)
    }

    @Test func fileOfPrivateTypesIsThatOfTheSameTypesInAnotherProcess() throws {
        // The name that is printed has an address in it, which differs in each process.
        #expect(String(reflecting: Fickle.self).contains("context at $"))
        let cache = Cache<Int, Fickle>(maximumCount: 10)
        cache.insert(Fickle(number: 1), forKey: 1)
        try cache.save(to: path)
        let name = "Swift.Int HoardTests.(unknown context).Fickle"
        let hash = Array(name.utf8).withUnsafeBytes { XXH64.hash($0) }
        _ = try SnapshotFile.read(path: path, schema: "cache/1 \(String(hash, radix: 16)) \(name)", maximumBytes: 1 << 20)
        let other = Cache<Int, Fickle>(maximumCount: 10)
        #expect(try other.restore(from: path) == 1)
    }

    @Test func directoryIsNoFile() throws {
        try directory.makeDirectory("cache")
        #expect(codeOfFailingRestore() == .notAFile)
    }

    @Test func fileThatIsTooLargeIsNotRead() throws {
        try makeCache(0..<500).save(to: path)
        #expect(codeOfFailingRestore(maximumBytes: 1_000) == .tooLarge)
    }

    @Test func valuesThatCannotBeDecodedAnyMoreAreReported() throws {
        let cache = Cache<Int, Fickle>(maximumCount: 10)
        cache.insert(Fickle(number: 1), forKey: 1)
        cache.insert(Fickle(number: -1), forKey: 2)
        try cache.save(to: path)
        let other = Cache<Int, Fickle>(maximumCount: 10)
        let failure = #expect(throws: SnapshotError.self) { try other.restore(from: path) }
        #expect(failure?.code == .codingFailed)
        #expect(other.count == 0)
    }

    @Test func valuesThatCannotBeEncodedLeaveTheOlderFile() throws {
        try makeCache(0..<5).save(to: path)
        let cache = Cache<Int, Fickle>(maximumCount: 10)
        cache.insert(Fickle(number: 0), forKey: 1)
        let failure = #expect(throws: SnapshotError.self) { try cache.save(to: path) }
        #expect(failure?.code == .codingFailed)
        #expect(try makeCache().restore(from: path) == 5)
    }

    @Test(arguments: [400, 1_000, 5_000, 20_000])
    func fileGetsNoLargerThanAllowedAndHoldsTheHottest(_ maximumBytes: Int) throws {
        let cache = makeCache(0..<500)
        for _ in 0..<3 { for key in 0..<20 { _ = cache.value(forKey: key) } }
        for key in 1_000..<1_500 { cache.insert("value \(key)", forKey: key) }
        let written = try cache.save(to: path, maximumBytes: maximumBytes)
        #expect(written < 1_000)
        let other = makeCache()
        #expect(try other.restore(from: path, maximumBytes: maximumBytes) == written)
        #expect(try directory.bytes(of: "cache").count <= maximumBytes)
        if maximumBytes == 20_000 {
            #expect(written > 50)
            #expect((0..<20).allSatisfy { other.contains($0) })
        }
    }

    @Test(arguments: [0, -1, .min, 1, 100])
    func limitBelowAnEmptySnapshotIsAnErrorAndLeavesTheOlderFile(_ maximumBytes: Int) throws {
        try makeCache(0..<5).save(to: path)
        for cache in [makeCache(), makeCache(0..<500)] {
            let failure = #expect(throws: SnapshotError.self) { try cache.save(to: path, maximumBytes: maximumBytes) }
            #expect(failure?.code == .tooLarge)
        }
        #expect(try makeCache().restore(from: path) == 5)
    }

    @Test func emptySnapshotFitsIntoItsOwnLengthAndNotIntoOneLess() throws {
        try makeCache().save(to: path)
        let byteCount = try directory.bytes(of: "cache").count
        #expect(try makeCache(0..<500).save(to: path, maximumBytes: byteCount) == 0)
        #expect(try directory.bytes(of: "cache").count == byteCount)
        #expect(throws: SnapshotError.self) { try makeCache().save(to: path, maximumBytes: byteCount - 1) }
    }

    @Test func missingDirectoryIsAnError() {
        #expect(throws: SnapshotError.self) { try makeCache(0..<1).save(to: directory.path(of: "no/cache")) }
    }
}

/// A value that can be encoded unless it is 0, and decoded unless it is negative.
private struct Fickle: Codable, Sendable {
    var number: Int

    init(number: Int) { self.number = number }

    init(from decoder: any Decoder) throws {
        number = try decoder.singleValueContainer().decode(Int.self)
        if number < 0 { throw TestError() }
    }

    func encode(to encoder: any Encoder) throws {
        if number == 0 { throw TestError() }
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}
