// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTestSupport
import HoardTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct SharedMemoryStoreTests {
    private let time = ManualTicker()

    @Test(arguments: RecordStoreConformance.checks)
    func conforms(to check: RecordStoreConformance.Check) async throws {
        try await check.run { configuration in
            SharedMemoryStore(maximumCount: configuration.maximumCount, maximumBytes: configuration.maximumBytes, clock: configuration.clock)
                .connect()
        }
    }

    @Test(arguments: RecordStoreConformance.sharingChecks + RecordStoreConformance.leaseChecks)
    func conformsAsSharedStore(to check: RecordStoreConformance.SharingCheck) async throws {
        try await check.run { configuration, count in
            let time = configuration.clock as? ManualTicker ?? ManualTicker()
            let server = SharedMemoryStore(clock: time, ticker: time)
            return (0..<count).map { _ in server.connect() }
        }
    }

    private func record(_ number: UInt8 = 0, tags: Set<String> = []) -> Record {
        Record(payload: Data([number]), created: time.now(), staleUntil: .forever, tags: tags)
    }

    @Test func newsComeInOrderWhenTheyAreAskedFor() async throws {
        let server = SharedMemoryStore(clock: time, ticker: time)
        let (here, there) = (server.connect(delivery: .onRequest), server.connect())
        let heard = Shared<[StoreInvalidation]>([])
        let watch = here.watch { invalidation in heard.update { $0.append(invalidation) } }
        try await there.insert(record(), forKey: "a")
        try await there.removeRecords(taggedWith: ["t"])
        try await there.removePartition("p")
        #expect(heard.value.isEmpty)
        #expect(here.pendingCount == 3)
        #expect(here.deliver(atMost: 2) == 2)
        #expect(heard.value == [.init(key: "a"), .init(tags: ["t"])])
        here.deliverAll()
        #expect(heard.value.last == .init(partition: "p"))
        #expect(here.deliver(atMost: 1) == 0)
        withExtendedLifetime(watch) {}
    }

    @Test func lostNewsBecomeNewsOfEverything() async throws {
        let server = SharedMemoryStore(clock: time, ticker: time)
        let (here, there) = (server.connect(delivery: .onRequest), server.connect())
        let heard = Shared<[StoreInvalidation]>([])
        let watch = here.watch { invalidation in heard.update { $0.append(invalidation) } }
        try await there.insert(record(), forKey: "a")
        here.lose()
        #expect(heard.value == [.everything])
        #expect(here.pendingCount == 0)
        withExtendedLifetime(watch) {}
    }

    @Test func randomNewsComeWithTheSameSeedInTheSameWay() async throws {
        func run(seed: UInt64) async throws -> [[StoreInvalidation]] {
            let server = SharedMemoryStore(clock: time, ticker: time)
            let (here, there) = (server.connect(delivery: .random(seed: seed, lossProbability: 0.1)), server.connect())
            let heard = Shared<[StoreInvalidation]>([])
            let watch = here.watch { invalidation in heard.update { $0.append(invalidation) } }
            var steps: [[StoreInvalidation]] = []
            for number in 0..<40 {
                try await there.insert(record(), forKey: RecordKey("\(number)"))
                _ = try await here.record(forKey: "x")
                steps.append(heard.value)
            }
            withExtendedLifetime(watch) {}
            return steps
        }
        let (first, second) = (try await run(seed: 7), try await run(seed: 7))
        #expect(first == second)
        #expect(first.last?.contains(.everything) ?? false)
        #expect(try await run(seed: 8) != first)
    }

    @Test func connectionThatIsLostFailsAndRefusesWhatBeganBefore() async throws {
        let server = SharedMemoryStore(clock: time, ticker: time)
        let (here, there) = (server.connect(), server.connect())
        let heard = Shared<[StoreInvalidation]>([])
        let watch = here.watch { invalidation in heard.update { $0.append(invalidation) } }
        let position = here.position
        here.disconnect()
        #expect(heard.value == [.everything])
        let thrown = await error { try await here.record(forKey: "a") } as? StoreError
        #expect(thrown?.code == .unavailable)
        try await there.insert(record(1), forKey: "b")
        here.reconnect()
        #expect(heard.value.filter(\.isOfEverything).count == 2)
        #expect(try await !here.insert(record(2), forKey: "a", ifUnchangedSince: position))
        #expect(try await here.insert(record(2), forKey: "a", ifUnchangedSince: here.position))
        withExtendedLifetime(watch) {}
    }

    @Test func othersHearOfAGuardedWriteThatIsTooLargeAndRemovesTheOlderRecord() async throws {
        let server = SharedMemoryStore(maximumBytes: 1_000, clock: time, ticker: time)
        let (here, there) = (server.connect(), server.connect())
        try await here.insert(record(1), forKey: "a")
        let heard = Shared<[StoreInvalidation]>([])
        let watch = there.watch { invalidation in heard.update { $0.append(invalidation) } }
        let large = Record(payload: Data(count: 2_000), created: time.now(), staleUntil: .forever)
        let thrown = await error { try await here.insert(large, forKey: "a", ifUnchangedSince: here.position) } as? StoreError
        #expect(thrown?.code == .recordTooLarge)
        #expect(try await there.record(forKey: "a") == nil)
        #expect(heard.value == [.init(key: "a")])
        withExtendedLifetime(watch) {}
    }

    @Test func waitThatAChangeHasEndedLeavesNoTimer() async throws {
        let server = SharedMemoryStore(clock: time, ticker: time)
        let (here, there) = (server.connect(), server.connect())
        let position = here.position
        let waiting = Task { await here.waitForChange(ofKey: "a", since: position, atMost: .seconds(3_600)) }
        await time.sleepers(1)
        try await there.insert(record(), forKey: "a")
        await waiting.value
        #expect(time.sleeperCount == 0)
    }

    @Test func closedConnectionLeavesTheOthersAlone() async throws {
        let server = SharedMemoryStore(clock: time, ticker: time)
        let (here, there) = (server.connect(), server.connect())
        try await here.insert(record(1), forKey: "a")
        await here.close()
        #expect(try await there.record(forKey: "a")?.payload == Data([1]))
        let thrown = await error { try await here.record(forKey: "a") } as? StoreError
        #expect(thrown?.code == .closed)
    }
}
