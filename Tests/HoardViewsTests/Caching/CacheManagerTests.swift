// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import HoardTesting
import Logging
import Testing

@testable import HoardViews

@Suite(.timeLimit(.minutes(5))) struct CacheManagerTests {
    private typealias Kind = CachingWorkspace.Kind

    private let workspace = CachingWorkspace()
    private var time: ManualTicker { workspace.time }

    /// References with everything that a reference can have.
    private func makeSamples() -> [CacheReference] {
        let odd = Date(timeIntervalSinceReferenceDate: 800_000_000.123_456_789)
        return [
            workspace.reference("plain"),
            workspace.reference("forever", maxAge: .max, partition: "alice"),
            workspace.reference("negative", maxAge: .min),
            workspace.reference("by default", maxAge: nil, partition: ""),
            CacheReference(identifier: "empty", data: Data(), hash: "", maxAge: 0, timeOfCreation: .distantPast),
            CacheReference(identifier: "odd", data: Data([0, 255, 0]), hash: "\u{0}é\u{301}🧭", maxAge: 7, timeOfCreation: odd, mustRevalidate: true),
            CacheReference(
                identifier: "large",
                data: Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }),
                hash: String(repeating: "h", count: 5_000),
                maxAge: nil,
                timeOfCreation: .distantFuture,
                partition: "bob/../\u{0}",
                mustRevalidate: true
            ),
        ]
    }

    @Test(arguments: CachingWorkspace.Kind.allCases)
    func referenceComesBackAsItWasAddedFromMemoryAndFromTheStore(_ kind: CachingWorkspace.Kind) async throws {
        let store = try workspace.store(kind)
        let manager = workspace.manager(store)
        let samples = makeSamples()
        for sample in samples { await manager.addToCache(sample) }
        for sample in samples { #expect(await manager.getReference(identifiedBy: sample.identifier) == sample) }
        #expect(manager.statistics.memoryHits == samples.count)

        let other = workspace.manager(store)
        time.advance(by: .seconds(1_000))
        for sample in samples { #expect(await other.getReference(identifiedBy: sample.identifier) == sample) }
        #expect(other.statistics.diskHits == samples.count)
        for sample in samples { #expect(await other.getReference(identifiedBy: sample.identifier) == sample) }
        #expect(other.statistics.memoryHits == samples.count)
        await store.close()
    }

    @Test(arguments: [CachingWorkspace.Kind.disk, .encrypted, .behind])
    func referenceComesBackAsItWasAddedAfterARestart(_ kind: CachingWorkspace.Kind) async throws {
        let before = try workspace.disk(kind)
        let manager = workspace.manager(before)
        let samples = makeSamples()
        for sample in samples { await manager.addToCache(sample) }
        await manager.saveChanges()
        await before.close()
        time.advance(by: .seconds(86_400))
        let after = try workspace.disk(kind)
        let restarted = workspace.manager(after)
        for sample in samples { #expect(await restarted.getReference(identifiedBy: sample.identifier) == sample) }
        await after.close()
    }

    @Test func missIsNilAndCountsAsOne() async throws {
        let manager = workspace.manager(try workspace.disk())
        #expect(await manager.getReference(identifiedBy: "nothing") == nil)
        #expect(
            manager.statistics
                == {
                    var statistics = CacheManagerStatistics(); statistics.misses = 1; return statistics
                }()
        )
    }

    @Test(arguments: CachingWorkspace.Kind.allCases)
    func identifierMayHaveAnyCharacters(_ kind: CachingWorkspace.Kind) async throws {
        let identifiers = [
            "", " ", ".", "..", "../../x", "/etc/passwd", "..\\..\\x", "a\u{0}b", "\u{0}", "views\u{0}a", "'; DROP TABLE records; --", "%2e%2e/",
            "\u{202E}x",
            "é", "e\u{301}", "🧭", "https://example.com/?q=1#f", String(repeating: "x", count: 60_000), String(repeating: "x", count: 59_999),
        ]
        let store = try workspace.store(kind)
        let manager = workspace.manager(store, .init(memoryMaximumCapacity: 0))
        for (number, identifier) in identifiers.enumerated() { await manager.addToCache(workspace.reference(identifier, "\(number)")) }
        for (number, identifier) in identifiers.enumerated() {
            let found = await manager.getReference(identifiedBy: identifier)
            #expect(found?.data == Data("\(number)".utf8), "\(number)")
            #expect(found.map { Array($0.identifier.utf8) } == Array(identifier.utf8))
        }
        #expect(await workspace.diskManager(store).numberOfReferences() == identifiers.count)
        #expect(await manager.numberOfReferencesOnDisk() == identifiers.count)
        await store.close()
        if kind != .memory {
            // Nothing beside the store's own files, and nothing outside of its directory.
            #expect(try FileManager.default.contentsOfDirectory(atPath: workspace.root) == ["cache"])
            let names = try FileManager.default.contentsOfDirectory(atPath: workspace.directory)
            #expect(names.allSatisfy { $0.hasPrefix("hoard.") || $0 == "payloads" || $0 == "keys" }, "\(names)")
        }
    }

    @Test func identifierThatNoStoreTakesIsKeptInMemoryOnly() async throws {
        let store = FaultyStore(MemoryStore(clock: time))
        let manager = workspace.manager(store)
        let reference = workspace.reference(String(repeating: "x", count: RecordKey.maximumByteCount))
        await manager.addToCache(reference)
        #expect(await manager.getReference(identifiedBy: reference.identifier) == reference)
        #expect(store.callCount(.insert) == 0)
        #expect(workspace.log.lines.map(\.level) == [.warning])
        await manager.removeReference(identifiedBy: reference.identifier)
        #expect(await manager.getReference(identifiedBy: reference.identifier) == nil)
    }

    // MARK: Validity

    @Test func referenceIsValidUntilItsMaxAgeHasPassedSinceItsCreation() {
        let manager = workspace.manager(nil)
        let (short, byDefault, never) = (
            workspace.reference("a", maxAge: 60), workspace.reference("b", maxAge: nil), workspace.reference("c", maxAge: 0)
        )
        let (negative, forever) = (workspace.reference("d", maxAge: -1), workspace.reference("e", maxAge: .max))
        #expect([short, byDefault, never, negative, forever].map(manager.isValid(reference:)) == [true, true, false, false, true])
        time.advance(by: .milliseconds(59_999))
        #expect(manager.isValid(reference: short))
        time.advance(by: .milliseconds(1))
        #expect([short, byDefault, never, negative, forever].map(manager.isValid(reference:)) == [false, true, false, false, true])
        time.advance(by: .milliseconds(239_999))
        #expect(manager.isValid(reference: byDefault))
        time.advance(by: .milliseconds(1))
        #expect(!manager.isValid(reference: byDefault))
        time.advance(by: .seconds(1_000_000_000))
        #expect(manager.isValid(reference: forever))
    }

    @Test func configurationSaysForHowLongReferencesAreValidThatDoNotSay() {
        #expect(
            CacheManager.Configuration() == .init(memoryMaximumCapacity: 50, memoryMaximumBytes: 16 << 20, diskMaximumCapacity: 150, cacheMaxAge: 300)
        )
        let manager = workspace.manager(nil, .init(cacheMaxAge: 10))
        let reference = workspace.reference("a", maxAge: nil)
        time.advance(by: .seconds(9))
        #expect(manager.isValid(reference: reference))
        time.advance(by: .seconds(1))
        #expect(!manager.isValid(reference: reference))
        let always = workspace.manager(nil, .init(cacheMaxAge: 0))
        #expect(!always.isValid(reference: workspace.reference("a", maxAge: nil)))
    }

    @Test func referenceFromTheFutureIsNotValidForLongerThanItsMaxAge() {
        let manager = workspace.manager(nil)
        let reference = workspace.reference("a", maxAge: 60)
        time.setWallClock(to: time.now() - 59)
        #expect(manager.isValid(reference: reference), "clocks differ a little")
        time.setWallClock(to: time.now() - 1)
        #expect(!manager.isValid(reference: reference), "the clock has been set back")
        let nonsense = CacheReference(identifier: "b", data: Data(), hash: "", timeOfCreation: Date(timeIntervalSinceReferenceDate: .nan))
        #expect(!manager.isValid(reference: nonsense))
    }

    @Test func validityIsTheSameAfterStorage() async throws {
        let store = try workspace.disk()
        let reference = workspace.reference("a", maxAge: 60)
        await workspace.manager(store).addToCache(reference)
        let other = workspace.manager(store, .init(memoryMaximumCapacity: 0))
        for _ in 0..<6 {
            time.advance(by: .seconds(10))
            let read = try #require(await other.getReference(identifiedBy: "a"))
            #expect(other.isValid(reference: read) == (time.now() < reference.timeOfCreation + 60), "reading extends nothing")
        }
        await store.close()
    }

    // MARK: Reading

    @Test func readWritesNothing() async throws {
        let base = try workspace.disk()
        let store = FaultyStore(base)
        let manager = workspace.manager(store)
        await manager.addToCache(workspace.reference("a"))
        let key = RecordKey("views\u{0}a")
        let record = try #require(try await base.peekRecord(forKey: key))
        let insertions = try await base.statistics().insertions
        let other = workspace.manager(store, .init(memoryMaximumCapacity: 0))
        for _ in 0..<100 {
            time.advance(by: .seconds(1))
            #expect(await manager.getReference(identifiedBy: "a") != nil)
            #expect(await other.getReference(identifiedBy: "a") != nil)
        }
        #expect(store.callCount(.insert) == 1)
        #expect(store.callCount(.insertMany) + store.callCount(.flush) + store.callCount(.removeRecord) == 0)
        #expect(try await base.statistics().insertions == insertions)
        var after = try #require(try await base.peekRecord(forKey: key))
        #expect(after.lastAccess == time.now())
        after.lastAccess = record.lastAccess
        #expect(after == record)
        await base.close()
    }

    @Test func memoryAnswersWithoutTheStore() async throws {
        let store = FaultyStore(MemoryStore(clock: time))
        let manager = workspace.manager(store)
        let reference = workspace.reference("a")
        await manager.addToCache(reference)
        let gate = store.hold()
        #expect(await manager.getReference(identifiedBy: "a") == reference)
        #expect(store.callCount(.record) == 0)
        gate.open()
    }

    @Test func storeIsToldOfWhatMemoryAnswersBeforeItEvicts() async throws {
        let store = try workspace.disk()
        let manager = workspace.manager(store, .init(diskMaximumCapacity: 2))
        await manager.addToCache(workspace.reference("a"))
        await manager.addToCache(workspace.reference("b"))
        time.advance(by: .seconds(1))
        #expect(await manager.getReference(identifiedBy: "a") != nil)
        await manager.addToCache(workspace.reference("c"))
        let disk = workspace.diskManager(store)
        #expect(await disk.getReference(for: "a") != nil, "used last, though only from memory")
        #expect(await disk.getReference(for: "b") == nil)
        await store.close()
    }

    @Test func manyUsesReachTheStoreWithoutAChange() async throws {
        let store = FaultyStore(MemoryStore(clock: time))
        let manager = workspace.manager(store, .init(memoryMaximumCapacity: 200))
        for number in 0..<64 { await manager.addToCache(workspace.reference("\(number)")) }
        let gate = store.hold(.noteUses)
        for number in 0..<64 { #expect(await manager.getReference(identifiedBy: "\(number)") != nil) }
        await gate.arrivals(1)
        #expect(store.callCount(.noteUses) == 1)
        gate.open()
    }

    @Test func orderOfUsesSurvivesARestart() async throws {
        let before = try workspace.disk()
        let manager = workspace.manager(before)
        for identifier in ["a", "b", "c"] { await manager.addToCache(workspace.reference(identifier)) }
        for identifier in ["b", "a", "c", "a"] { #expect(await manager.getReference(identifiedBy: identifier) != nil) }
        await manager.saveChanges()
        // The test does not close the store: saved references are on the disk.
        let after = try workspace.disk()
        let disk = workspace.diskManager(after)
        var order: [String] = []
        while await disk.numberOfReferences() > 0 {
            let there = try await present(["a", "b", "c"], after)
            await disk.removeLeastRecentlyUsed()
            order += there.subtracting(try await present(["a", "b", "c"], after))
        }
        #expect(order == ["b", "c", "a"])
        await before.close()
        await after.close()
    }

    /// The references that are in a store. Reading them counts as no use.
    private func present(_ identifiers: [String], _ store: DiskStore) async throws -> Set<String> {
        var found: Set<String> = []
        for identifier in identifiers where try await store.peekRecord(forKey: RecordKey("views\u{0}" + identifier)) != nil {
            found.insert(identifier)
        }
        return found
    }
}
