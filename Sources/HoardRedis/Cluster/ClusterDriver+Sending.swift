// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// Sending commands to the nodes that can carry them out.
extension ClusterDriver {
    /// Where a command is sent.
    private struct Target {
        let node: Node
        /// The slot is still on its way to that node, which answers only if it is told that this is known.
        var isAsking = false
    }

    func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
        let slot = command.key.map { ClusterSlot.slot(of: $0) }
        var attempt = ClusterAttempt(now: ticker.nanoseconds(), timeout: commandTimeout)
        let node = try await node(for: slot, &attempt)
        return try await send(command, slot, to: Target(node: node), &attempt)
    }

    /// Sends a command to a node, and to those that it names.
    private func send(_ command: RedisCommand, _ slot: Int?, to target: Target, _ attempt: inout ClusterAttempt) async throws(RedisError) -> RESPValue
    {
        var target = target
        while true {
            do {
                let reply = try await reply(to: command, from: target)
                guard let next = try await follow(reply, from: target.node, slot, &attempt) else { return reply }
                target = next
            } catch {
                // It has not been sent. The node may be gone, and another one have its slots.
                guard error.code == .connectionFailed, attempt.mayRedirect() else { throw lost(error) }
                await refresh()?.value
                let next = try await node(for: slot, &attempt)
                guard next.number != target.node.number else { throw error }
                target = Target(node: next)
            }
        }
    }

    private func reply(to command: RedisCommand, from target: Target) async throws(RedisError) -> RESPValue {
        guard target.isAsking else { return try await target.node.connection.send(command) }
        let replies = try await target.node.connection.send([RedisCommand("ASKING"), command])
        guard replies.count == 2 else { throw RedisError(.protocolViolation, "The server has answered two commands with another number of replies.") }
        return replies[1]
    }

    /// Where a reply says that the command has to be sent; `nil` if the reply is one.
    private func follow(_ reply: RESPValue, from node: Node, _ slot: Int?, _ attempt: inout ClusterAttempt) async throws(RedisError) -> Target? {
        guard case .error(let text) = reply, let redirection = ClusterRedirection(text) else { return nil }
        switch redirection {
        case .moved(let slot, let place):
            guard attempt.mayRedirect(), let address = place.address(toldBy: node.address) else { throw .wrongNodes }
            announce(state.withLock { $0.machine.moved(slot: slot, to: address) })
            let next = try self.node(at: address)
            refresh(preferring: next)
            return Target(node: next)
        case .ask(let place):
            guard attempt.mayRedirect(), let address = place.address(toldBy: node.address) else { throw .wrongNodes }
            let next = try self.node(at: address)
            state.withLock { $0.machine.asked(next.number) }
            return Target(node: next, isAsking: true)
        case .later:
            guard try await waitForNextAttempt(&attempt) else { return nil }
            refresh()
            return Target(node: try await self.node(for: slot, &attempt))
        }
    }

    /// The node of a slot; any without a slot. Waits until it is known.
    private func node(for slot: Int?, _ attempt: inout ClusterAttempt) async throws(RedisError) -> Node {
        while true {
            switch state.withLock({ $0.machine.route(slot: slot) }) {
            case .node(let node): return node
            case .missing(let address): return try node(at: address)
            case .closed: throw .clusterClosed
            case .unknown: break
            }
            if let refresh = refresh() {
                await refresh.value
                // It is known now, or there is no need to ask again at once.
                if case .node(let node) = state.withLock({ $0.machine.route(slot: slot) }) { return node }
            }
            // A failure that the operator has to mend does not end by waiting.
            if let failure = state.withLock({ $0.failure }), failure.isLasting { throw failure }
            guard try await waitForNextAttempt(&attempt) else { throw state.withLock { $0.failure } ?? .noNode }
        }
    }

    /// False if there is no time left.
    private func waitForNextAttempt(_ attempt: inout ClusterAttempt) async throws(RedisError) -> Bool {
        guard let time = attempt.nextAttempt(now: ticker.nanoseconds(), random: random()) else { return false }
        do {
            try await ticker.sleep(until: time)
        } catch {
            throw RedisError(.cancelled, "The task that waited for the reply was cancelled.")
        }
        return true
    }

    /// A connection has ended: perhaps another node has the slots now.
    private func lost(_ error: RedisError) -> RedisError {
        if [.connectionFailed, .connectionLost, .timedOut].contains(error.code) { refresh() }
        // The node has been given up, and not the cluster.
        guard error.code == .closed, !state.withLock({ $0.machine.isClosed }) else { return error }
        return .nodeHasLeft
    }
}

/// Sending several commands.
extension ClusterDriver {
    /// Commands for one node, by their places.
    private struct Share: Sendable {
        let node: Node
        var indices: [Int] = []
    }

    func send(_ commands: [RedisCommand]) async throws(RedisError) -> [RESPValue] {
        guard commands.count != 1 else { return [try await send(commands[0])] }
        var attempt = ClusterAttempt(now: ticker.nanoseconds(), timeout: commandTimeout)
        var shares: [Int: Share] = [:]
        for (index, command) in commands.enumerated() {
            let node = try await node(for: command.key.map { ClusterSlot.slot(of: $0) }, &attempt)
            shares[node.number, default: Share(node: node)].indices.append(index)
        }
        var replies = [RESPValue](repeating: .null, count: commands.count)
        var sources = [Node?](repeating: nil, count: commands.count)
        for (share, result) in await results(of: Array(shares.values), commands) {
            switch result {
            case .success(let values):
                for (index, value) in zip(share.indices, values) { (replies[index], sources[index]) = (value, share.node) }
            case .failure(let error):
                // If nothing was sent they are sent one by one, as each may have another node now.
                guard error.code == .connectionFailed else { throw lost(error) }
            }
        }
        for (index, command) in commands.enumerated() {
            replies[index] = try await finish(command, replies[index], from: sources[index], attempt)
        }
        return replies
    }

    private func results(of shares: [Share], _ commands: [RedisCommand]) async -> [(Share, Result<[RESPValue], RedisError>)] {
        if shares.count == 1 { return [(shares[0], await result(of: shares[0], commands))] }
        return await withTaskGroup(of: (Share, Result<[RESPValue], RedisError>).self) { group in
            for share in shares { group.addTask { (share, await self.result(of: share, commands)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func result(of share: Share, _ commands: [RedisCommand]) async -> Result<[RESPValue], RedisError> {
        do {
            return .success(try await share.node.connection.send(share.indices.map { commands[$0] }))
        } catch {
            return .failure(error)
        }
    }

    /// Follows a reply to the node that it names, if it does.
    private func finish(
        _ command: RedisCommand,
        _ reply: RESPValue,
        from node: Node?,
        _ attempt: ClusterAttempt
    ) async throws(RedisError) -> RESPValue {
        guard let node else { return try await send(command) }
        let slot = command.key.map { ClusterSlot.slot(of: $0) }
        var attempt = attempt
        guard let target = try await follow(reply, from: node, slot, &attempt) else { return reply }
        return try await send(command, slot, to: target, &attempt)
    }
}

extension RedisError {
    /// Whether another attempt would fail too.
    fileprivate var isLasting: Bool {
        [.invalidConfiguration, .tlsFailed, .authenticationFailed, .unsupportedServer, .notPermitted].contains(code)
    }

    static var wrongNodes: RedisError { RedisError(.notReady, "The nodes of the cluster do not agree where the key's slot is.") }
    static var noNode: RedisError { RedisError(.notReady, "No node of the cluster has the key's slot.") }
}
