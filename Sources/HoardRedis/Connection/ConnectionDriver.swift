// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Logging
internal import NIOCore
internal import Synchronization

/// Carries out the decisions of ``ConnectionStateMachine``: makes connections, writes commands, hands out replies,
/// watches the time.
///
/// Everything that is told of a connection is told on its event loop, so that events and replies stay in order. Tasks add commands from their own
/// threads, under the lock, and wake the event loop only if no other task has done so since it last wrote. A task that finds nothing on the way
/// writes by itself: to wake the event loop for a single command takes as long as the command.
final class ConnectionDriver: Sendable {
    struct State {
        var machine: ConnectionStateMachine
        var queue: CommandQueue<ReplySink>
        var outgoing = OutgoingBytes()
        /// Whether the event loop will write the outgoing bytes without being told again.
        var isWriteExpected = false
        /// The deadline of the commands that are written together.
        var writeDeadline: Int64 = 0
        /// The socket of the connection that stands, if it can be written to from other threads.
        var socket: DirectSocket?
        /// Whether a task writes to the socket at this moment. Neither other tasks nor the event loop write then.
        var isWrittenDirectly = false
        /// Whether deadlines of commands will be looked at without being asked for again.
        var isDeadlineExpected = false
        /// The callers that wait for the end.
        var endObservers: [CheckedContinuation<Void, Never>] = []
        var hasEnded = false
    }

    /// The state that only the event loop touches.
    final class LoopState {
        var connection: ConnectionHandler?
        /// Whether the owner was told that the connection stands, and not yet that it has ended.
        var isAnnounced = false
        /// Empty bytes, whose storage serves the next commands.
        var spare = ByteBuffer()
    }

    let state: Mutex<State>
    let loopState: NIOLoopBoundBox<LoopState>
    let connector: Connector
    let handshake: Handshake
    let ticker: any Ticker
    let deadlines: DeadlineQueue
    let random: @Sendable () -> Double
    let onEvent: @Sendable (RedisEvent) -> Void
    let logger: Logger?
    let commandTimeout: Int64
    let connectTimeout: Int64
    let heartbeatInterval: Int64
    let heartbeatTimeout: Int64

    var eventLoop: any EventLoop { connector.eventLoop }

    init(
        _ configuration: RedisConfiguration,
        handshake: Handshake,
        connector: Connector,
        logger: Logger?,
        ticker: any Ticker,
        random: @escaping @Sendable () -> Double,
        onEvent: @escaping @Sendable (RedisEvent) -> Void
    ) {
        let machine = ConnectionStateMachine(
            initialBackoff: configuration.backoff.initial.saturatingNanoseconds,
            maximumBackoff: configuration.backoff.maximum.saturatingNanoseconds,
            jitter: configuration.backoff.jitter
        )
        let queue = CommandQueue<ReplySink>(
            maximumCount: configuration.maximumPendingCommands,
            maximumByteCount: configuration.maximumPendingBytes
        )
        state = Mutex(State(machine: machine, queue: queue))
        loopState = NIOLoopBoundBox.makeBoxSendingValue(LoopState(), eventLoop: connector.eventLoop)
        self.connector = connector
        self.handshake = handshake
        self.ticker = ticker
        deadlines = DeadlineQueue(ticker: ticker)
        self.random = random
        self.onEvent = onEvent
        self.logger = logger
        commandTimeout = configuration.commandTimeout.saturatingNanoseconds
        connectTimeout = configuration.connectTimeout.saturatingNanoseconds
        heartbeatInterval = max(1, configuration.heartbeatInterval.saturatingNanoseconds)
        heartbeatTimeout = max(1, configuration.heartbeatTimeout.saturatingNanoseconds)
    }
}
