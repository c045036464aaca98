// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The operations that ``RedisStore`` needs of a client of Redis or Valkey.
///
/// Hoard's own client implements it. Another client can take its place by implementing it too.
///
/// Messages that a server sends unasked are ordered with its replies: an event that came before a reply has been handled when the reply is returned.
@_spi(Client) public protocol RedisConnection: Sendable {
    /// Sends a command and waits for the reply. May suspend.
    ///
    /// Commands that are sent at the same time by several tasks go out together. An error that the server reports is a value, not thrown.
    /// - Throws: ``RedisError`` if there is no reply in time; the command may have been carried out or not.
    func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue

    /// Sends commands in this order, and returns their replies in this order. One round trip for each server concerned. May suspend.
    func send(_ commands: [RedisCommand]) async throws(RedisError) -> [RESPValue]

    /// The connections to each server that has a part of the keys. By default this one alone. Empty if not all of
    /// them are known.
    var nodes: [any RedisConnection] { get async }

    /// Ends the connection. Commands that are under way fail with ``RedisError/Code/closed``. Calling it again does
    /// nothing.
    func close() async
}

@_spi(Client) extension RedisConnection {
    public var nodes: [any RedisConnection] { get async { [self] } }
}

/// An event on a connection, other than a reply.
///
/// Handlers are called in the order of the events, on the thread that reads the connection: they must neither wait nor do much.
@_spi(Client) public enum RedisEvent: Sendable {
    /// A connection stands, and the server tells of changes from now on. Until here, and since the last ``disconnected``, changes may have been missed.
    /// Comes before any reply of that connection.
    case connected
    /// A connection has ended, or answers no more. From some moment before on, changes may have been missed. Comes
    /// before the failures of commands that were under way.
    case disconnected
    /// The server tells something: its kind, such as `invalidate`, and its arguments.
    case push([RESPValue])
}
