// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct ClusterSlotTests {
    /// The check value of CRC-16/XMODEM, which the specification of the cluster names too.
    @Test func theChecksumIsThatOfXMODEM() {
        #expect(ClusterSlot.crc16("123456789".utf8) == 0x31c3)
        #expect(ClusterSlot.crc16([]) == 0)
    }

    /// The answers of `CLUSTER KEYSLOT` of Redis 7.0.
    @Test(arguments: [
        ("", 0), ("foo", 12_182), ("bar", 5_061), ("somekey", 11_058), ("foo{hash_tag}", 2_515), ("hash_tag", 2_515), ("hoard{}:rsome key", 11_805),
        ("a}b{c}d", 7_365), ("{}", 15_257),
    ])
    func aKeyHasTheSlotThatServersGiveIt(key: String, slot: Int) {
        #expect(ClusterSlot.slot(of: key.utf8) == slot)
    }

    @Test(arguments: [
        ("{user1000}.following", "user1000"), ("{user1000}.followers", "user1000"), ("foo{{bar}}zap", "{bar"), ("foo{bar}{zap}", "bar"),
        ("a}b{c}d", "c"),
    ])
    func whatStandsInBracesCountsAlone(key: String, counted: String) {
        #expect(Int(ClusterSlot.crc16(counted.utf8)) % ClusterSlot.count == ClusterSlot.slot(of: key.utf8))
    }

    @Test(arguments: ["foo{}{bar}", "foo{bar", "foo}bar{", "hoard{}:r{a}", "{}", "{", "}"])
    func withoutAnythingInTheFirstBracesTheWholeKeyCounts(key: String) {
        #expect(Int(ClusterSlot.crc16(key.utf8)) % ClusterSlot.count == ClusterSlot.slot(of: key.utf8))
    }

    @Test(arguments: ["", "foo", "x{y}z", "-12"])
    func theSlotDoesNotDependOnHowTheKeyIsHeld(key: String) {
        var part = ByteBuffer(string: "__" + key)
        part.moveReaderIndex(forwardBy: 2)
        let forms: [RedisCommand.Argument] = [.string(key), .bytes(Array(key.utf8)), .data(Data("_\(key)".utf8).dropFirst()), .buffer(part)]
        #expect(Set(forms.map { ClusterSlot.slot(of: $0) }).count == 1)
        #expect(ClusterSlot.slot(of: .integer(-12)) == ClusterSlot.slot(of: .string("-12")))
    }
}
