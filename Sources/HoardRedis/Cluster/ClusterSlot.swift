// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The slot that a key belongs to: one of 16,384, each of which is on one node.
///
/// It is CRC16 (XMODEM) of the key, or of the bytes between its first `{` and the first `}` after it, unless that is empty.
/// See <https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#key-distribution-model>.
enum ClusterSlot {
    static let count = 16_384

    /// O(length of the key).
    static func slot(of key: RedisCommand.Argument) -> Int {
        switch key {
        case .string(let text): slot(of: text.utf8)
        case .bytes(let bytes): slot(of: bytes)
        case .data(let data): slot(of: data)
        case .buffer(let bytes): slot(of: bytes.readableBytesView)
        case .integer(let integer): slot(of: String(integer).utf8)
        }
    }

    static func slot(of key: some Collection<UInt8>) -> Int {
        if let open = key.firstIndex(of: UInt8(ascii: "{")) {
            let rest = key[key.index(after: open)...]
            if let close = rest.firstIndex(of: UInt8(ascii: "}")), close > rest.startIndex {
                return Int(crc16(rest[..<close])) % count
            }
        }
        return Int(crc16(key)) % count
    }

    /// Polynomial 0x1021, starting from 0, nothing reflected.
    static func crc16(_ bytes: some Collection<UInt8>) -> UInt16 {
        var crc: UInt16 = 0
        for byte in bytes { crc = crc << 8 ^ table[Int(crc >> 8 ^ UInt16(byte))] }
        return crc
    }

    private static let table: [UInt16] = (0..<256).map { byte in
        var crc = UInt16(byte) << 8
        for _ in 0..<8 { crc = crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
        return crc
    }
}
