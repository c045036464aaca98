// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
@_spi(Client) import HoardRedis
import HoardRedisTestSupport
import HoardTesting
import Testing

/// The rules of every store: on the fake server, and on a real one where there is one.
@Suite(.timeLimit(.minutes(5))) struct RedisStoreConformanceTests {
    static let checks =
        RecordStoreConformance.checks(forStoresWithOwnLimits: false) + RecordStoreConformance.listingChecks(forStoresWithOwnLimits: false)

    @Test(arguments: checks) func theStoreConformsOnAFakeServer(to check: RecordStoreConformance.Check) async throws {
        try await check.run { configuration in
            // The server lives in real time, the store in the check's.
            try FakeRedis(ticker: MonotonicTicker()).makeStore(.init(exactCountLimit: 1_000_000), clock: configuration.clock)
        }
    }

    @Test(.enabled(if: RedisServer.isAvailable, "\(RedisServer.requirement)"), arguments: checks)
    func theStoreConformsOnARealServer(to check: RecordStoreConformance.Check) async throws {
        let server = try await RedisServer.shared()
        try await check.run { configuration in
            try RedisStore(
                connectingTo: RedisConfiguration(address: server.address).patient,
                configuration: .init(keyPrefix: "conformance [\(UInt64.random(in: .min ... .max))]*", exactCountLimit: 1_000_000),
                clock: configuration.clock
            )
        }
    }

    static let callbackChecks = RecordStoreConformance.checks(forStoresWithOwnLimits: false)

    @Test(.enabled(if: RedisServer.isAvailable, "\(RedisServer.requirement)"), arguments: callbackChecks)
    func theStoreConformsOnARealServerIfItIsAskedToCallBack(to check: RecordStoreConformance.Check) async throws {
        let server = try await RedisServer.shared()
        try await check.run { configuration in
            CallbackReader(
                base: try RedisStore(
                    connectingTo: RedisConfiguration(address: server.address).patient,
                    configuration: .init(keyPrefix: "callback [\(UInt64.random(in: .min ... .max))]*", exactCountLimit: 1_000_000),
                    clock: configuration.clock
                )
            )
        }
    }

    @Test(.enabled(if: RedisServer.isAvailable, "\(RedisServer.requirement)"))
    func whatIsReadByCallbackNeedsNoOtherRoundTripOnceItsGenerationsAreKnown() async throws {
        let server = try await RedisServer.shared()
        let store = try RedisStore(
            connectingTo: RedisConfiguration(address: server.address).patient,
            configuration: .init(keyPrefix: "round trips \(UInt64.random(in: .min ... .max))")
        )
        #expect(store.callsBack)
        try await store.insert(Record(payload: .init([1]), created: .now, staleUntil: .forever, tags: ["t"]), forKey: "a")
        _ = try await store.record(forKey: "a")
        func read(_ key: RecordKey) async throws -> ImmediateReading {
            try await withCheckedContinuation { continuation in store.beginReading(key) { continuation.resume(returning: $0) } }.result()
        }
        guard case .record(let record) = try await read("a") else { return _ = Issue.record("The record should be there.") }
        #expect(record.payload == .init([1]) && record.tags == ["t"])
        #expect(try await read("b") == .absent)
        try await store.removeRecords(taggedWith: ["t"])
        #expect(try await read("a") != .record(record))
        await store.close()
        await #expect(throws: StoreError.self) { try await read("a") }
    }

    @Test func storeThatIsToldNothingIsNotAskedToCallBack() async throws {
        let store = try RedisStore(
            connectingTo: RedisConfiguration(address: .tcp(host: "127.0.0.1", port: 1)),
            configuration: .init(tracking: .off)
        )
        #expect(!store.callsBack)
        await store.close()
    }

    static let sharingChecks = RecordStoreConformance.sharingChecks + RecordStoreConformance.leaseChecks

    @Test(arguments: sharingChecks) func storesConformToEachOtherOnAFakeServer(to check: RecordStoreConformance.SharingCheck) async throws {
        try await check.run { configuration, count in
            // The check moves its clock by the time that it sleeps, so that only this ends leases.
            let server = FakeRedis(ticker: (configuration.clock as? ManualTicker) ?? ManualTicker())
            return try (0..<count).map { _ in
                try server.makeStore(.init(exactCountLimit: 1_000_000), clock: configuration.clock, ticker: MonotonicTicker())
            }
        }
    }

    @Test(.enabled(if: RedisServer.isAvailable, "\(RedisServer.requirement)"), arguments: sharingChecks)
    func storesConformToEachOtherOnARealServer(to check: RecordStoreConformance.SharingCheck) async throws {
        let server = try await RedisServer.shared()
        try await check.run { configuration, count in
            let prefix = "sharing \(UInt64.random(in: .min ... .max))"
            let stores = try (0..<count).map { _ in
                try RedisStore(
                    connectingTo: RedisConfiguration(address: server.address).patient,
                    configuration: .init(keyPrefix: prefix, exactCountLimit: 1_000_000),
                    clock: configuration.clock
                )
            }
            // A value of a load that began before there was a connection is not published: changes since then are not known.
            for store in stores { _ = try await store.peekRecord(forKey: "connected") }
            return stores
        }
    }
}
