// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import NIOCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A command for a server: its name and arguments, which are bytes that no code parses on the way.
@_spi(Client) public struct RedisCommand: Sendable {
    /// One argument.
    public enum Argument: Sendable {
        case string(String)
        case bytes([UInt8])
        case data(Data)
        case buffer(ByteBuffer)
        case integer(Int64)
    }

    public let name: StaticString
    /// Arguments before the key, such as the hash of a script.
    public let leading: [Argument]
    /// The key that the command is about, by which a cluster finds the node.
    public let key: Argument?
    /// Arguments after the key.
    public let arguments: [Argument]

    public init(_ name: StaticString, leading: [Argument] = [], key: Argument? = nil, _ arguments: [Argument] = []) {
        self.name = name
        self.leading = leading
        self.key = key
        self.arguments = arguments
    }
}
