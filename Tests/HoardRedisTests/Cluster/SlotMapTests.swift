// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct SlotMapTests {
    private let teller = RedisConfiguration.Address.tcp(host: "teller", port: 1)

    private func range(_ first: Int64, _ last: Int64, _ host: RESPValue, _ port: Int64) -> RESPValue {
        .array([.integer(first), .integer(last), .array([host, .integer(port), .bulk("id"), .array([])]), .array([.bulk("replica"), .integer(9)])])
    }

    @Test func slotsAreReadWithTheirMasters() throws {
        let reply = RESPValue.array([
            range(0, 5_460, .bulk("a"), 7_000), range(5_461, 10_922, .bulk("b"), 7_001), range(10_924, 16_383, .bulk("a"), 7_000),
        ])
        let map = try SlotMap(reply: reply, toldBy: teller)
        #expect(map.owner(of: 0) == .tcp(host: "a", port: 7_000))
        #expect(map.owner(of: 5_460) == .tcp(host: "a", port: 7_000))
        #expect(map.owner(of: 5_461) == .tcp(host: "b", port: 7_001))
        #expect(map.owner(of: 10_923) == nil)
        #expect(map.owner(of: 16_383) == .tcp(host: "a", port: 7_000))
        #expect(map.masters == [.tcp(host: "a", port: 7_000), .tcp(host: "b", port: 7_001)])
    }

    @Test(arguments: [RESPValue.null, .bulk(""), .bulk("?")])
    func aNodeWithoutAHostIsAtThatOfWhoTells(host: RESPValue) throws {
        #expect(try SlotMap(reply: .array([range(0, 0, host, 7)]), toldBy: teller).owner(of: 0) == .tcp(host: "teller", port: 7))
    }

    @Test func aClusterWithoutSlotsHasNoMasters() throws {
        #expect(try SlotMap(reply: .array([]), toldBy: teller).masters.isEmpty)
    }

    static let unreadable: [RESPValue] = [
        .null, .simpleString("OK"), .array([.null]), .array([.array([])]), .array([.array([.integer(0), .integer(1)])]),
        .array([.array([.integer(-1), .integer(1), .array([.bulk("a"), .integer(1)])])]),
        .array([.array([.integer(2), .integer(1), .array([.bulk("a"), .integer(1)])])]),
        .array([.array([.integer(0), .integer(16_384), .array([.bulk("a"), .integer(1)])])]),
        .array([.array([.integer(0), .integer(1), .array([.bulk("a"), .integer(0)])])]),
        .array([.array([.integer(0), .integer(1), .array([.bulk("a"), .integer(65_536)])])]),
        .array([.array([.integer(0), .integer(1), .array([.bulk("a")])])]),
        .array([.array([.integer(0), .integer(1), .array([.integer(1), .integer(1)])])]),
        .array([.array([.bulk("0"), .integer(1), .array([.bulk("a"), .integer(1)])])]),
        .array([.array([.integer(0), .integer(.max), .array([.bulk("a"), .integer(1)])])]),
        .array([.array([.integer(.min), .integer(1), .array([.bulk("a"), .integer(1)])])]),
        // More slots than there are.
        .array(Array(repeating: .array([.integer(0), .integer(16_383), .array([.bulk("a"), .integer(1)])]), count: 2)),
    ]

    @Test(arguments: unreadable)
    func whatIsNoMapOfSlotsIsRefused(reply: RESPValue) {
        let error = #expect(throws: RedisError.self) { try SlotMap(reply: reply, toldBy: teller) }
        #expect(error?.code == .protocolViolation)
    }

    @Test func aMapTellsWhetherASlotIsElsewhereNow() {
        var older = SlotMap()
        older.assign(0...99, to: .tcp(host: "a", port: 1))
        var newer = older
        #expect(!newer.hasTaken(anySlotFrom: older))
        newer.assign(100...200, to: .tcp(host: "b", port: 1))
        #expect(!newer.hasTaken(anySlotFrom: older))
        #expect(older.hasTaken(anySlotFrom: newer))
        newer.assign(99...99, to: .tcp(host: "b", port: 1))
        #expect(newer.hasTaken(anySlotFrom: older))
        #expect(newer.masters.count == 2)
        newer.assign(0...98, to: .tcp(host: "b", port: 1))
        #expect(newer.masters == [.tcp(host: "b", port: 1)])
    }

    @Test func mapsAreEqualIfAllSlotsAreAtTheSamePlaces() {
        var (one, other) = (SlotMap(), SlotMap())
        one.assign(0...9, to: .tcp(host: "x", port: 1))
        one.assign(0...9, to: .tcp(host: "a", port: 1))
        other.assign(0...9, to: .tcp(host: "a", port: 1))
        #expect(one == other)
        other.assign(10...10, to: .tcp(host: "a", port: 1))
        #expect(one != other)
    }

    /// A server could name another address with each answer.
    @Test func addressesWithoutEndAreNotKept() {
        var map = SlotMap()
        for port in 0..<70_000 { map.assign(0...0, to: .tcp(host: "a", port: port)) }
        #expect(map.owner(of: 0) == .tcp(host: "a", port: ClusterSlot.count - 1))
    }
}
