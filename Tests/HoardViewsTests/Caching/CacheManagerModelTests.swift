// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import HoardTesting
import Testing

@testable import HoardViews

/// Random programs. Each step is compared with the same step on a few arrays.
@Suite(.timeLimit(.minutes(5))) struct CacheManagerModelTests {
    /// The references that a manager should have.
    private struct Model {
        let diskCapacity: Int
        let hasMemory: Bool
        /// Least recently used first.
        var disk: [CacheReference] = []
        var memory: [String: CacheReference] = [:]

        mutating func add(_ reference: CacheReference) {
            memory[reference.identifier] = hasMemory ? reference : nil
            disk.removeAll { $0.identifier == reference.identifier }
            if !reference.isSensitive { disk.append(reference) }
            disk = disk.suffix(diskCapacity)
        }

        mutating func get(_ identifier: String) -> CacheReference? {
            let stored = disk.firstIndex { $0.identifier == identifier }.map { disk.remove(at: $0) }
            if let stored { disk.append(stored) }
            let found = memory[identifier] ?? stored
            if hasMemory { memory[identifier] = found }
            // Sensitive references are never in both.
            return found
        }

        mutating func remove(where isGone: (CacheReference) -> Bool) {
            disk.removeAll(where: isGone)
            memory = memory.filter { !isGone($0.value) }
        }
    }

    private struct Program {
        let workspace: CachingWorkspace
        let kind: CachingWorkspace.Kind
        var generator: SeededGenerator
        var store: any EvictingRecordStore
        var manager: CacheManager
        var model: Model
        private let configuration: CacheManager.Configuration
        private var number = 0

        init(seed: UInt64, kind: CachingWorkspace.Kind, hasMemory: Bool, workspace: CachingWorkspace) throws {
            self.workspace = workspace
            self.kind = kind
            generator = SeededGenerator(seed: seed)
            configuration = .init(memoryMaximumCapacity: hasMemory ? 1_000 : 0, diskMaximumCapacity: 6)
            store = try workspace.store(kind)
            manager = workspace.manager(store, configuration)
            model = Model(diskCapacity: 6, hasMemory: hasMemory)
        }

        mutating func step() async throws -> String {
            let identifier = "/screen/\(Int.random(in: 0..<12, using: &generator))"
            let partition = ["alice", "bob", nil].randomElement(using: &generator) ?? nil
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<35:
                let reference = randomReference(identifier, partition)
                await manager.addToCache(reference)
                model.add(reference)
                return "add \(identifier), sensitive: \(reference.isSensitive)"
            case 35..<70:
                let (found, expected) = (await manager.getReference(identifiedBy: identifier), model.get(identifier))
                try #require(found == expected, "get \(identifier)")
                if let found { try checkValidity(of: found) }
                return "get \(identifier)"
            case 70..<76:
                await manager.removeReference(identifiedBy: identifier)
                model.remove { $0.identifier == identifier }
                return "remove \(identifier)"
            case 76..<80:
                await manager.removePartition(partition ?? "carol")
                model.remove { $0.partition == partition ?? "carol" }
                return "remove partition \(partition ?? "carol")"
            case 80..<82:
                await manager.clear()
                model.remove { _ in true }
                return "clear"
            case 82..<88:
                workspace.time.advance(by: .milliseconds(Int.random(in: 1...20_000, using: &generator)))
                return "wait"
            case 88..<92:
                await manager.saveChanges()
                return "save"
            case 92..<96: return try await restart()
            default:
                // A record of another program, in the same store.
                try await store.insert(Record(payload: Data(), created: workspace.time.now(), staleUntil: .forever), forKey: RecordKey(identifier))
                return "insert a foreign record"
            }
        }

        private mutating func randomReference(_ identifier: String, _ partition: String?) -> CacheReference {
            number += 1
            let byteCount = Int.random(in: 0..<10, using: &generator) == 0 ? 10_000 : Int.random(in: 0...50, using: &generator)
            return CacheReference(
                identifier: identifier,
                data: Data((0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }),
                hash: "\(number)",
                maxAge: [nil, 0, 1, 60, .max].randomElement(using: &generator) ?? nil,
                timeOfCreation: workspace.time.now().addingTimeInterval(Double.random(in: -100...1, using: &generator)),
                partition: partition,
                isSensitive: Int.random(in: 0..<8, using: &generator) == 0,
                mustRevalidate: Bool.random(using: &generator)
            )
        }

        private func checkValidity(of reference: CacheReference) throws {
            let age = workspace.time.now().timeIntervalSince(reference.timeOfCreation)
            try #require(manager.isValid(reference: reference) == (abs(age) < Double(reference.maxAge ?? 300)))
        }

        /// The process ends properly and begins again. A store in memory stays.
        private mutating func restart() async throws -> String {
            await manager.saveChanges()
            if kind != .memory {
                await store.close()
                store = try workspace.disk(kind)
            }
            manager = workspace.manager(store, configuration)
            model.memory = [:]
            return "restart"
        }

        /// Checks the references that the store should have, and counts no use of them.
        func check() async throws {
            let count = await workspace.diskManager(store).numberOfReferences()
            try #require(count == model.disk.count)
            guard let disk = store as? DiskStore else { return }
            for number in 0..<12 {
                let identifier = "/screen/\(number)"
                let isThere = try await disk.peekRecord(forKey: RecordKey("views\u{0}" + identifier)) != nil
                try #require(isThere == model.disk.contains { $0.identifier == identifier }, "\(identifier) on the disk")
            }
        }
    }

    @Test(arguments: CachingWorkspace.Kind.allCases, [true, false])
    func randomProgramsDoWhatTheModelDoes(_ kind: CachingWorkspace.Kind, hasMemory: Bool) async throws {
        let seed = UInt64.random(in: .min ... .max)
        for number in 0..<4 as Range<UInt64> {
            var program = try Program(seed: seed &+ number, kind: kind, hasMemory: hasMemory, workspace: CachingWorkspace())
            var steps: [String] = []
            do {
                for _ in 0..<250 {
                    steps.append(try await program.step())
                    try await program.check()
                }
            } catch {
                Issue.record("With seed \(seed &+ number), after \(steps.suffix(12)): \(error)")
            }
            await program.store.close()
        }
    }

    /// A store that fails at random never brings back a replaced or removed reference while
    /// the manager lives, and heals.
    @Test func storeThatFailsAtRandomBringsNothingOldBack() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let workspace = CachingWorkspace()
        let store = FaultyStore(MemoryStore(clock: workspace.time))
        let manager = workspace.manager(store, .init(memoryMaximumCapacity: 3), protection: .init(failuresToOpen: 3, openFor: .seconds(1)))
        var latest: [String: CacheReference] = [:]
        for step in 0..<2_000 {
            let identifier = "\(Int.random(in: 0..<10, using: &generator))"
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<3:
                let reference = workspace.reference(identifier, "\(step)", partition: step % 2 == 0 ? "even" : "odd", isSensitive: step % 7 == 0)
                await manager.addToCache(reference)
                latest[identifier] = reference
            case 3..<7:
                let found = await manager.getReference(identifiedBy: identifier)
                #expect(found == nil || found == latest[identifier], "With seed \(seed), at step \(step)")
            case 7:
                await manager.removeReference(identifiedBy: identifier)
                latest[identifier] = nil
            case 8:
                await manager.removePartition("odd")
                latest = latest.filter { $0.value.partition != "odd" }
            default:
                workspace.time.advance(by: .milliseconds(Int.random(in: 1...400, using: &generator)))
                let operation = (FaultyStore.Operation.all + FaultyStore.Operation.evicting).randomElement(using: &generator) ?? .insert
                if Bool.random(using: &generator) { store.heal() } else { store.fail(operation, afterwards: Bool.random(using: &generator)) }
            }
        }
        store.heal()
        workspace.time.advance(by: .seconds(120))
        for identifier in latest.keys {
            let reference = workspace.reference(identifier, "healed")
            await manager.addToCache(reference)
            #expect(await manager.getReference(identifiedBy: identifier) == reference, "With seed \(seed)")
        }
    }
}
