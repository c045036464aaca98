// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import NIOCore

/// A value of RESP3, the protocol of Redis and Valkey.
///
/// The nulls of RESP2 (`$-1` and `*-1`) are ``null`` too. Attributes are left out, and strings and aggregates that a server streams look like others.
///
/// See <https://github.com/redis/redis-specifications/blob/master/protocol/RESP3.md>.
@_spi(Client) public enum RESPValue: Sendable, Hashable {
    case null
    /// A short text without line ends, such as `OK`. Invalid UTF-8 is repaired.
    case simpleString(String)
    /// A server's answer to a command that it could not carry out, such as `WRONGTYPE Operation against a key…`. Invalid UTF-8 is repaired.
    case error(String)
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
    /// Decimal digits, with a sign before them or none.
    case bigNumber(String)
    /// Any bytes. They may keep a larger buffer of received bytes alive, so copy bytes that you keep for long.
    case bulkString(ByteBuffer)
    /// Bytes for people, and their format in three letters, such as `txt`.
    indirect case verbatimString(format: String, ByteBuffer)
    case array([RESPValue])
    /// Keys and values in turn.
    case map([RESPValue])
    case set([RESPValue])
    /// A message that the server sends by itself, not a reply. The first element is a string that names its kind.
    case push([RESPValue])
}
