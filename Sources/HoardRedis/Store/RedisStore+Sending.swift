// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore

extension RedisStore {
    /// Sends a command. An error that the server reports is thrown.
    func send(_ command: RedisCommand) async throws(StoreError) -> RESPValue {
        do throws(RedisError) {
            return try checked(try await connection.send(command))
        } catch {
            throw failure(error)
        }
    }

    /// Sends commands. Errors that the server reports are among the replies.
    ///
    /// In pieces, for only so many commands may wait at once, and a record may need the generations of more tags.
    func send(_ commands: [RedisCommand]) async throws(StoreError) -> [RESPValue] {
        if commands.isEmpty { return [] }
        var replies: [RESPValue] = []
        do throws(RedisError) {
            if commands.count <= Self.maximumCommandCount {
                replies = try await connection.send(commands)
            } else {
                for piece in commands.chunks(ofCount: Self.maximumCommandCount) { replies += try await connection.send(Array(piece)) }
            }
        } catch {
            throw failure(error)
        }
        guard replies.count == commands.count else { throw .unexpectedReply(name) }
        return replies
    }

    /// The connections to all servers. An error if some of them are not known, because nothing could be said of their keys.
    func allNodes() async throws(StoreError) -> [any RedisConnection] {
        let nodes = await connection.nodes
        if nodes.isEmpty { throw failure(.missingNodes) }
        return nodes
    }

    /// Sends a command to one of the servers. An error that the server reports is thrown.
    func send(_ command: RedisCommand, to node: any RedisConnection) async throws(StoreError) -> RESPValue {
        do throws(RedisError) {
            return try checked(try await node.send(command))
        } catch {
            // A server that has left the cluster does not close the store.
            if error.code == .closed { try checkOpen() }
            throw StoreError(error.code == .closed ? .nodeHasLeft : error, storeName: name)
        }
    }

    /// The reply, unless the server reports an error.
    func success(_ reply: RESPValue) throws(StoreError) -> RESPValue {
        do throws(RedisError) {
            return try checked(reply)
        } catch {
            throw failure(error)
        }
    }

    private func checked(_ reply: RESPValue) throws(RedisError) -> RESPValue {
        if case .error(let text) = reply { throw RedisError(serverError: text) }
        return reply
    }

    func isOutOfMemory(_ reply: RESPValue) -> Bool {
        if case .error(let text) = reply { RedisError(serverError: text).code == .outOfMemory } else { false }
    }

    func failure(_ error: RedisError) -> StoreError {
        error.code == .closed ? .closed(name) : StoreError(error, storeName: name)
    }

    /// Sends a command that reads a value, or a part of it. `nil` if there is none.
    func value(_ command: RedisCommand) async throws(StoreError) -> ByteBuffer? {
        let reply: RESPValue
        do throws(RedisError) {
            reply = try await connection.send(command)
        } catch {
            throw failure(error)
        }
        return try bytes(reply)
    }

    /// The bytes of a reply; `nil` if there is no value.
    ///
    /// A list or another kind of value, which another program has put there, counts as a value without bytes: one that cannot be read.
    func bytes(_ reply: RESPValue) throws(StoreError) -> ByteBuffer? {
        if case .error(let text) = reply, text.hasPrefix("WRONGTYPE") { return ByteBuffer() }
        switch try success(reply) {
        case .null: return nil
        case .bulkString(let bytes): return bytes
        default: throw .unexpectedReply(name)
        }
    }

    func integer(_ reply: RESPValue) throws(StoreError) -> Int64 {
        guard case .integer(let number) = try success(reply) else { throw .unexpectedReply(name) }
        return Int64(number)
    }

    // MARK: Scripts

    /// A call of a script.
    struct ScriptCall {
        let script: RedisScript
        let key: [UInt8]
        let arguments: [RedisCommand.Argument]
    }

    /// Runs scripts, each known to the server or not. One round trip, two if the server did not know one of them. Replies may be errors.
    func run(_ calls: [ScriptCall]) async throws(StoreError) -> [RESPValue] {
        var replies = try await send(calls.map { $0.script.command($0.key, $0.arguments) })
        let unknown = replies.indices.filter { index in
            guard case .error(let text) = replies[index] else { return false }
            return text.hasPrefix("NOSCRIPT")
        }
        if unknown.isEmpty { return replies }
        let answers = try await send(unknown.map { calls[$0].script.completeCommand(calls[$0].key, calls[$0].arguments) })
        for (index, answer) in zip(unknown, answers) { replies[index] = answer }
        return replies
    }

    /// A script on a record's key, and the version that the key has afterwards if the script returns 1.
    struct RecordScript {
        let key: RecordKey
        let call: ScriptCall
        let version: RecordVersion
    }

    /// Runs scripts on records' keys. Notices of this process's own changes are not taken for those of other processes
    /// (``OwnWrites``).
    ///
    /// - Returns: Whether each script has done its work, or the error that the server reports.
    func run(_ scripts: [RecordScript]) async throws(StoreError) -> [Result<Bool, StoreError>] {
        if scripts.isEmpty { return [] }
        let hashes = scripts.map { KeyHash(record: $0.key) }
        coherence.withLock { state in
            state.changes(hashes)
            for hash in hashes { state.beginScript(on: hash) }
        }
        let replies: [RESPValue]
        do throws(StoreError) {
            replies = try await run(scripts.map(\.call))
        } catch {
            // The scripts may have run.
            let mustTell = coherence.withLock { state in
                hashes.map { hash in
                    state.wrote(nil, of: hash)
                    return state.endScript(on: hash, seen: nil) == .done(mustTell: true)
                }
            }
            tell(of: zip(scripts, mustTell).filter(\.1).map(\.0.key))
            throw error
        }
        var results: [Result<Bool, StoreError>] = []
        for reply in replies {
            do throws(StoreError) {
                results.append(.success(try integer(reply) > 0))
            } catch {
                results.append(.failure(error))
            }
        }
        var isDone: [Bool] = []
        for result in results {
            if case .success(true) = result { isDone.append(true) } else { isDone.append(false) }
        }
        await settle(scripts, hashes, isDone)
        return results
    }

    /// Finds out whether the server's notices of the keys were about the scripts alone.
    private func settle(_ scripts: [RecordScript], _ hashes: [KeyHash], _ isDone: [Bool]) async {
        var open: [Int] = []
        var told: [RecordKey] = []
        coherence.withLock { state in
            for (index, hash) in hashes.enumerated() {
                if isDone[index] { state.wrote(scripts[index].version, of: hash) } else { state.forgetVersion(of: hash) }
            }
        }
        for index in scripts.indices {
            if isDone[index] {
                open.append(index)
            } else if coherence.withLock({ $0.endScript(on: hashes[index], seen: nil) }) == .done(mustTell: true) {
                told.append(scripts[index].key)
            }
        }
        // The server tells of a script's change after the script's reply and before the next reply: one read is enough unless another client
        // writes too.
        for round in 0..<4 where !open.isEmpty {
            let sent = coherence.withLock { state in open.map { state.tellings(of: hashes[$0]) } }
            let versions = round < 3 ? try? await versions(ofKeys: open.map { scripts[$0].key }) : nil
            var left: [Int] = []
            for (position, index) in open.enumerated() {
                let isOwn = versions.map { $0[position] == scripts[index].version } ?? false
                let ending = coherence.withLock { state in
                    if isOwn { state.saw(scripts[index].version, of: hashes[index]) }
                    return state.endScript(on: hashes[index], seen: isOwn ? sent[position] : nil)
                }
                switch ending {
                case .readAgain: left.append(index)
                case .done(true): told.append(scripts[index].key)
                case .done(false): break
                }
            }
            open = left
        }
        tell(of: told)
    }

    private func tell(of keys: [RecordKey]) {
        if !keys.isEmpty { coherence.watchers.tell(keys.map { StoreInvalidation(key: $0) }) }
    }

    /// Reads which versions the keys have. One round trip.
    func versions(ofKeys recordKeys: [RecordKey]) async throws(StoreError) -> [RecordVersion] {
        let replies = try await send(recordKeys.map { versionCommand(keys.record($0)) })
        var versions: [RecordVersion] = []
        versions.reserveCapacity(replies.count)
        for reply in replies { versions.append(RecordVersion(ofNumber: try bytes(reply) ?? ByteBuffer())) }
        return versions
    }

    func versionCommand(_ key: [UInt8]) -> RedisCommand {
        RedisCommand(
            "GETRANGE",
            key: .bytes(key),
            [.integer(Int64(StoredRecord.numberRange.lowerBound)), .integer(Int64(StoredRecord.numberRange.upperBound - 1))]
        )
    }
}
