// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

@_spi(Client) @testable import HoardRedis

extension RESPValue {
    static func bulk(_ text: String) -> RESPValue { .bulkString(ByteBuffer(string: text)) }
}

extension RESPDecoder {
    /// The values that a decoder reads from bytes that arrive in pieces.
    static func values(of pieces: [[UInt8]], limits: Limits = Limits()) throws(RedisError) -> [RESPValue] {
        var decoder = RESPDecoder(limits: limits)
        var values: [RESPValue] = []
        for piece in pieces {
            decoder.append(ByteBuffer(bytes: piece))
            while let value = try decoder.next() { values.append(value) }
        }
        return values
    }
}
