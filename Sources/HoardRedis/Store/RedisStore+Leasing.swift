// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
internal import NIOCore

extension RedisStore: LeasingRecordStore {
    /// Tries to get the lease of a key, by `SET NX` of a random token. One round trip. If its reply does not come, a lease that the server may have
    /// granted is given back in the background.
    public func lease(forKey key: RecordKey, for duration: Duration) async throws(StoreError) -> RecordLease? {
        try checkOpen()
        try check(key)
        let lease = RecordLease(key: key, token: .random(in: .min ... .max))
        let command = RedisCommand(
            "SET",
            key: .bytes(keys.lease(key)),
            [.string(String(lease.token)), .string("NX"), .string("PX"), .integer(max(1, KeyLifetime.milliseconds(duration)))]
        )
        let reply: RESPValue
        do throws(RedisError) {
            reply = try await connection.send(command)
        } catch {
            if error.mayHaveBeenCarriedOut { startTask { [self] in try? await release(lease) } }
            throw failure(error)
        }
        if case .null = try success(reply) { return nil }
        return lease
    }

    /// Renews a lease. One round trip.
    public func renew(_ lease: RecordLease, for duration: Duration) async throws(StoreError) -> Bool {
        try await runOnLease(lease, .renewLease, [.integer(max(1, KeyLifetime.milliseconds(duration)))])
    }

    /// Gives a lease back. One round trip.
    public func release(_ lease: RecordLease) async throws(StoreError) {
        _ = try await runOnLease(lease, .releaseLease, [])
    }

    private func runOnLease(_ lease: RecordLease, _ script: RedisScript, _ arguments: [RedisCommand.Argument]) async throws(StoreError) -> Bool {
        try checkOpen()
        try check(lease.key)
        let call = ScriptCall(script: script, key: keys.lease(lease.key), arguments: [.string(String(lease.token))] + arguments)
        guard let reply = try await run([call]).first else { return false }
        return try integer(reply) > 0
    }

    /// Waits until the key has changed or its lease has been given back, without a round trip, because the server reports changes. Without
    /// ``Tracking/required`` it does not, and the wait lasts the whole `duration`.
    public func waitForChange(ofKey key: RecordKey, since position: StorePosition, atMost duration: Duration) async {
        let hashes = [KeyHash(record: key), KeyHash(lease: key)]
        let (ticker, waiters) = (ticker, coherence.waiters)
        let (end, overflowed) = ticker.nanoseconds().addingReportingOverflow(duration.saturatingNanoseconds)
        var alarm: Task<Void, Never>?
        await waiters.wait(for: hashes) { number in
            let hasChanged = coherence.withLock { state in hashes.contains { state.log.hasChanged($0, since: position.number) } }
            if hasChanged, configuration.tracking != .off { return waiters.wake(number) }
            alarm = startTask {
                do { try await ticker.sleep(until: overflowed ? .max : end) } catch { return }
                waiters.wake(number)
            }
        }
        alarm?.cancel()
    }
}

extension RedisError {
    /// Whether the server may have carried out the command that has failed.
    fileprivate var mayHaveBeenCarriedOut: Bool { [.connectionLost, .timedOut, .cancelled].contains(code) }
}
