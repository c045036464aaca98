// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore

extension RedisStore {
    /// The generations that records refer to which are about to be written, each there for long enough.
    ///
    /// No round trip if all are known; otherwise one, two if one of them must be kept for longer.
    ///
    /// - Parameter scopes: Each with the milliseconds for which a record that refers to it is kept; `nil`: for ever.
    func generations(for scopes: [RecordScope: Int64?]) async throws(StoreError) -> [RecordScope: GenerationTable.Entry] {
        let now = ticker.nanoseconds()
        let known = coherence.withLock { state in
            state.renewGenerations(at: now)
            var known: [RecordScope: GenerationTable.Entry] = [:]
            for (scope, needed) in scopes {
                guard let entry = state.generation(of: KeyHash(scope)), entry.generation != nil,
                    entry.expiration?.lasts(Self.nanosecondsNeeded(needed), from: now) == true
                else { continue }
                known[scope] = entry
            }
            return known
        }
        if known.count == scopes.count { return known }
        return known.merging(try await makeGenerations(scopes.filter { known[$0.key] == nil }.map { ($0.key, $0.value) })) { $1 }
    }

    /// A little more than is needed, because the record is written later.
    private static func nanosecondsNeeded(_ milliseconds: Int64?) -> Int64? { milliseconds.map { ($0 + 60_000) * 1_000_000 } }

    /// Creates the generations that are not there, reads all, and keeps them for as long as they are needed.
    private func makeGenerations(_ scopes: [(RecordScope, Int64?)]) async throws(StoreError) -> [RecordScope: GenerationTable.Entry] {
        let sent = coherence.withLock { $0.moment() }
        var commands: [RedisCommand] = []
        for (scope, needed) in scopes {
            let key = RedisCommand.Argument.bytes(keys.scope(scope))
            // Everything's generation is small, and there is one.
            let lifetime = scope == .everything ? nil : KeyLifetime.ofGeneration(neededBy: needed)
            commands.append(RedisCommand("SET", key: key, [.buffer(Generation.first().encoded), .string("NX")] + Self.lifetimeArguments(lifetime)))
            commands.append(RedisCommand("GET", key: key))
            commands.append(RedisCommand("PTTL", key: key))
        }
        let replies: [RESPValue]
        do throws(StoreError) {
            replies = try await send(commands)
        } catch {
            // They may have been created all the same, of which the server does not tell.
            coherence.withLock { state in for (scope, _) in scopes { state.created(KeyHash(scope)) } }
            throw error
        }
        var entries: [RecordScope: GenerationTable.Entry] = [:]
        var short: [(RecordScope, Int64?, Generation)] = []
        var unreadable: [(RecordScope, Int64?)] = []
        let now = ticker.nanoseconds()
        coherence.withLock { state in
            for (index, (scope, _)) in scopes.enumerated() {
                if case .simpleString = replies[3 * index] { state.created(KeyHash(scope)) }
            }
        }
        for (index, (scope, needed)) in scopes.enumerated() {
            _ = try success(replies[3 * index])
            let value = try bytes(replies[3 * index + 1])
            let rest = try integer(replies[3 * index + 2])
            guard let value, let generation = Generation(encoded: value) else {
                unreadable.append((scope, needed))
                continue
            }
            let expiration = Self.expiration(rest, from: now)
            if expiration.lasts(Self.nanosecondsNeeded(needed), from: now) {
                entries[scope] = note(generation, expiration, of: scope, sentAt: sent)
            } else {
                short.append((scope, needed, generation))
            }
        }
        for (scope, needed) in unreadable { entries[scope] = try await replaceGeneration(scope, neededFor: needed) }
        let rests = try await run(
            short.map { scope, needed, _ in
                let lifetime = KeyLifetime.ofGeneration(neededBy: needed)
                return ScriptCall(script: .keep, key: keys.scope(scope), arguments: [.integer(lifetime ?? 0)])
            }
        )
        for ((scope, _, generation), reply) in zip(short, rests) {
            // If it has gone meanwhile, a record that refers to it is a miss.
            entries[scope] = note(generation, Self.expiration(try integer(reply), from: ticker.nanoseconds()), of: scope, sentAt: sent)
        }
        return entries
    }

    private func note(_ generation: Generation, _ expiration: KeyExpiration, of scope: RecordScope, sentAt sent: UInt64) -> GenerationTable.Entry {
        coherence.withLock { state in
            state.saw(generation, expiration, of: KeyHash(scope), sentAt: sent)
            return .init(generation: generation, sent: sent, moment: state.moment(), expiration: expiration)
        }
    }

    /// The expiration by this process's ticker. `rest`: the reply to `PTTL`.
    private static func expiration(_ rest: Int64, from now: Int64) -> KeyExpiration {
        switch rest {
        case -1: .never
        case ..<0: .at(now)
        // Longer times count as the longest.
        default: .at(now.addingSaturated(min(rest, KeyLifetime.longest) * 1_000_000))
        }
    }

    /// Gives a group another generation in place of one that cannot be read, or that the server has not kept for a moment.
    private func replaceGeneration(_ scope: RecordScope, neededFor needed: Int64?) async throws(StoreError) -> GenerationTable.Entry {
        let generation = Generation.next()
        try await setGenerations([(scope, generation, needed)])
        return coherence.withLock { .init(generation: generation, sent: $0.moment(), moment: $0.moment(), expiration: nil) }
    }

    /// Writes generations in the place of present ones, so that the records that refer to the older ones are removed. One
    /// round trip.
    ///
    /// - Parameter generations: Each with the milliseconds for which a record that refers to it is to be kept.
    func setGenerations(_ generations: [(scope: RecordScope, generation: Generation, needed: Int64?)]) async throws(StoreError) {
        let commands = generations.map { scope, generation, needed in
            let lifetime = scope == .everything ? nil : KeyLifetime.ofGeneration(neededBy: needed)
            return RedisCommand("SET", key: .bytes(keys.scope(scope)), [.buffer(generation.encoded)] + Self.lifetimeArguments(lifetime))
        }
        // Whether the command succeeds or not, the known generations are no longer sure.
        func changed() {
            coherence.withLock { state in for (scope, _, _) in generations { state.changed(KeyHash(scope)) } }
        }
        changed()
        let replies: [RESPValue]
        do throws(StoreError) {
            replies = try await send(commands)
        } catch {
            changed()
            throw error
        }
        changed()
        // A server without memory refuses to write, but not to take away. A generation that is not there means the same as another one.
        let refused = zip(generations, replies).filter { isOutOfMemory($0.1) }.map { keys.scope($0.0.scope) }
        if !refused.isEmpty {
            // The server does not tell of that either, and one of them may have been read before it.
            defer { changed() }
            _ = try await send(refused.map { RedisCommand("DEL", key: .bytes($0)) })
        }
        for reply in replies { _ = try success(reply) }
    }

    static func lifetimeArguments(_ milliseconds: Int64?) -> [RedisCommand.Argument] {
        milliseconds.map { [.string("PX"), .integer($0)] } ?? []
    }
}
