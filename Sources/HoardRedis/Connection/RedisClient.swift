// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardEventLoops
public import Logging
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// One connection to a Redis or Valkey server, which connects again whenever it ends.
///
/// Any number of tasks use it at the same time. Their commands go out together and their replies come back in order, so one connection is enough;
/// commands that block the connection, such as `BLPOP`, are not for it.
///
/// ```swift
/// let client = try RedisClient(RedisConfiguration(url: "redis://localhost"))
/// let reply = try await client.send(RedisCommand("GET", key: .string("greeting")))
/// await client.close()
/// ```
///
/// A client begins to connect when it is created. Commands wait for the first connection, and for the first attempt to replace one that stood.
/// After a failure they fail at once until a connection stands again.
@_spi(Client) public final class RedisClient: RedisConnection {
    let driver: ConnectionDriver

    /// An executor that runs tasks on the thread that reads the connection, so that a reply reaches its task without waking another thread.
    ///
    /// It is for code that sends one command after another and does little else, such as the handler of a server. If the server is near, waking a
    /// thread takes about a quarter of the time until a task has its reply. Work that computes long or blocks does not
    /// belong there, as the whole connection waits for it.
    ///
    /// ```swift
    /// let reply = try await withTaskExecutorPreference(client.taskExecutor) {
    ///     try await client.send(RedisCommand("GET", key: .string("greeting")))
    /// }
    /// ```
    public let taskExecutor: any TaskExecutor

    /// Creates a client and begins to connect.
    ///
    /// - Parameters:
    ///   - trackedPrefix: The server is asked to tell of changes that others make to keys that begin with this (`CLIENT TRACKING` with `BCAST` and
    ///     `NOLOOP`); they come as ``RedisEvent/push(_:)``. By default of none.
    ///   - logger: Told of connections that are lost and found. Nothing it is told is secret.
    ///   - onEvent: Called for each event, in order, on the thread that reads the connection; it must neither wait nor do much.
    /// - Throws: ``RedisError`` of code ``RedisError/Code/invalidConfiguration`` or ``RedisError/Code/tlsFailed`` if the configuration cannot be used.
    ///   That the server does not answer is no such thing: it may do so later.
    public convenience init(
        _ configuration: RedisConfiguration,
        trackedPrefix: [UInt8]? = nil,
        logger: Logger? = nil,
        onEvent: @escaping @Sendable (RedisEvent) -> Void = { _ in }
    ) throws(RedisError) {
        try self.init(
            configuration,
            trackedPrefix: trackedPrefix,
            logger: logger,
            eventLoop: MultiThreadedEventLoopGroup.singleton.any(),
            ticker: MonotonicTicker(),
            random: { .random(in: 0..<1) },
            onEvent: onEvent
        )
    }

    /// - Parameter random: Gives numbers from 0 to 1 for the waits between attempts.
    init(
        _ configuration: RedisConfiguration,
        trackedPrefix: [UInt8]? = nil,
        logger: Logger? = nil,
        eventLoop: any EventLoop,
        ticker: any Ticker,
        random: @escaping @Sendable () -> Double,
        onEvent: @escaping @Sendable (RedisEvent) -> Void
    ) throws(RedisError) {
        taskExecutor = EventLoopTaskExecutor(eventLoop)
        driver = ConnectionDriver(
            configuration,
            handshake: Handshake(configuration, trackedPrefix: trackedPrefix),
            connector: try Connector(configuration, eventLoop),
            logger: logger,
            ticker: ticker,
            random: random,
            onEvent: onEvent
        )
        driver.start()
    }

    deinit {
        driver.close()
    }

    public func close() async {
        driver.close()
        await driver.ended()
    }
}

@_spi(Client) extension RedisClient {
    public func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
        let place = PlaceNumber()
        let result = await withTaskCancellationHandler {
            await ReplySink.wait { driver.enqueue(command, $0, place) }
        } onCancel: {
            if let number = place.cancel() { driver.cancel(at: number) }
        }
        return try result.get()
    }

    /// Sends a command. `completion` is called exactly once, on any thread, perhaps before this returns.
    func send(_ command: RedisCommand, completion: @escaping @Sendable (Result<RESPValue, RedisError>) -> Void) {
        driver.enqueue(command, .callback(completion), PlaceNumber())
    }

    public func send(_ commands: [RedisCommand]) async throws(RedisError) -> [RESPValue] {
        guard commands.count != 1 else { return [try await send(commands[0])] }
        guard !commands.isEmpty else { return [] }
        let place = PlaceNumber()
        let result = await withTaskCancellationHandler {
            await ReplyGroup.wait(count: commands.count) { driver.enqueue(commands, $0, place) }
        } onCancel: {
            if let number = place.cancel() { driver.cancel(at: number) }
        }
        return try result.get()
    }
}
