// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// Asking nodes where the slots are, and how they are.
extension ClusterDriver {
    /// The number of nodes that are asked at the same time.
    private static let askedNodeCount = 3

    /// Begins to ask where the slots are, unless that is under way or was done just now. Returns the task that asks, if there is one.
    ///
    /// - Parameters:
    ///   - preferred: A node that knows of a change.
    ///   - isUrgent: Asks even if that was done just now.
    @discardableResult
    func refresh(preferring preferred: Node? = nil, isUrgent: Bool = false) -> Task<Void, Never>? {
        let now = ticker.nanoseconds()
        return state.withLock { state in
            if let refresh = state.refresh { return refresh }
            guard !state.machine.isClosed else { return nil }
            if !isUrgent, let last = state.lastRefresh, now < last.addingSaturated(Self.refreshInterval) { return nil }
            let refresh = startTask { [weak self] in
                guard let self else { return }
                await self.askForSlots(preferring: preferred)
            }
            state.refresh = refresh
            return refresh
        }
    }

    private func askForSlots(preferring preferred: Node?) async {
        var result = Result<SlotMap, RedisError>.failure(RedisError(.notReady, "No node of the cluster tells where the slots are."))
        if let preferred { result = await slots(from: preferred) }
        if case .failure = result {
            let nodes = state.withLock { $0.machine.allNodes }
            // Those that have no connection fail at once.
            for start in stride(from: 0, to: nodes.count, by: Self.askedNodeCount) {
                result = await firstSlots(from: nodes[start..<min(start + Self.askedNodeCount, nodes.count)])
                if case .success = result { break }
            }
        }
        if case .failure = result {
            let seeds = seeds.compactMap { seed in try? node(at: seed) }
            result = await firstSlots(from: seeds[...])
        }
        take(result)
    }

    private func take(_ result: Result<SlotMap, RedisError>) {
        let now = ticker.nanoseconds()
        let loss = state.withLock { state -> Machine.Announcement? in
            state.refresh = nil
            state.lastRefresh = now
            switch result {
            case .success(let map):
                state.failure = nil
                return state.machine.learned(map)
            case .failure(let error):
                state.failure = error
                return nil
            }
        }
        // Changes are to be heard from all masters, whether a command is sent there or not.
        for address in state.withLock({ $0.machine.missingMasters }) { _ = try? node(at: address) }
        announce(loss)
    }

    private func firstSlots(from nodes: ArraySlice<Node>) async -> Result<SlotMap, RedisError> {
        await withTaskGroup(of: Result<SlotMap, RedisError>.self) { group in
            for node in nodes { group.addTask { await self.slots(from: node) } }
            var failure = RedisError(.connectionFailed, "There is no connection to a node of the cluster.")
            for await result in group {
                switch result {
                case .success:
                    group.cancelAll()
                    return result
                case .failure(let error): failure = error
                }
            }
            return .failure(failure)
        }
    }

    private func slots(from node: Node) async -> Result<SlotMap, RedisError> {
        do {
            let reply = try await node.connection.send(RedisCommand("CLUSTER", leading: [.string("SLOTS")]))
            if case .error(let text) = reply {
                guard text.contains("cluster support disabled") else { return .failure(RedisError(serverError: text)) }
                return .failure(RedisError(.invalidConfiguration, "The server is not part of a cluster."))
            }
            let map = try SlotMap(reply: reply, toldBy: node.address)
            // A node that was restarted without its list of nodes, or has been taken out of the cluster, knows of no slots. Others know more.
            guard !map.masters.isEmpty else { return .failure(RedisError(.notReady, "The node knows of no slots of the cluster.")) }
            return .success(map)
        } catch {
            return .failure(error)
        }
    }

    /// Asks all nodes how they are, and where the slots are if that may have changed. Gives up connections that are not needed any more.
    func lookAround() async {
        let nodes = state.withLock { $0.machine.allNodes }
        let mayHaveMoved = await withTaskGroup(of: Bool.self) { group in
            for node in nodes { group.addTask { await self.lookAfter(node) } }
            return await group.reduce(false) { $0 || $1 }
        }
        announce(nil)
        if mayHaveMoved || state.withLock({ !$0.machine.isConnected }) { await refresh()?.value }
        let (unused, loss) = state.withLock { $0.machine.sweep() }
        for connection in unused { await connection.close() }
        announce(loss)
    }

    /// True if the slots may be elsewhere now.
    private func lookAfter(_ node: Node) async -> Bool {
        guard let reply = try? await node.connection.send(RedisCommand("CLUSTER", leading: [.string("INFO")])), let info = ClusterInfo(reply: reply)
        else {
            return false
        }
        return state.withLock { $0.machine.learned(info, from: node.number) }
    }

    /// All masters, by what the cluster tells now; none if a slot has no master that is known.
    func masters() async -> [any RedisConnection] {
        // An asking that has begun already may have its answer from before.
        await state.withLock { $0.refresh }?.value
        await refresh(isUrgent: true)?.value
        return state.withLock { $0.machine.allMasters?.map(\.connection) ?? [] }
    }
}
