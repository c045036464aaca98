// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How operations reach the database, and what they do when it is damaged.
extension DiskStore {
    /// How often an operation starts over: once because it found damage, and once because another one replaced the database meanwhile.
    private static let maximumAttempts = 3

    /// Runs one query on the calling thread.
    func read<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
        var attempt = 1
        while true {
            let connections = try connections()
            do {
                return try connections.read(body)
            } catch {
                try recover(from: error, on: connections, attempt: attempt)
                attempt += 1
            }
        }
    }

    /// Runs a long query on another thread. Suspends.
    func readElsewhere<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws(StoreError) -> T {
        var attempt = 1
        while true {
            let connections = try connections()
            switch await connections.readElsewhere(body) {
            case .success(let value):
                return value
            case .failure(let error):
                try recover(from: error, on: connections, attempt: attempt)
                attempt += 1
            }
        }
    }

    /// Runs a transaction on the writing thread. Suspends.
    ///
    /// `body` must not hold the store: the last reference to it must not be released on the writing thread, which `deinit` waits for.
    func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws(StoreError) -> T {
        var attempt = 1
        while true {
            let connections = try connections()
            switch await connections.write(flushing: accesses, body) {
            case .success(let value):
                noteWrite(wasRefusedForSpace: false)
                return value
            case .failure(let error):
                if StoreError.database(error).code == .full { noteWrite(wasRefusedForSpace: true) }
                try recover(from: error, on: connections, attempt: attempt)
                attempt += 1
            }
        }
    }

    /// The connections to use now.
    func connections() throws(StoreError) -> Connections {
        switch state.withLock({ $0 }) {
        case .open(let connections): connections
        case .closed: throw .closed(name)
        case .broken: try reopen(at: configuration.clock.now())
        }
    }

    /// Opens the database that could not be replaced before, unless another operation was faster.
    private func reopen(at now: Date) throws(StoreError) -> Connections {
        let (connections, opened) = try state.withLock { (state) throws(StoreError) -> (Connections, DatabaseOpening.Opened?) in
            switch state {
            case .open(let connections):
                return (connections, nil)
            case .closed:
                throw .closed(name)
            case .broken:
                let opened = try opening.open(at: now)
                adopt(opened)
                state = .open(opened.connections)
                return (opened.connections, opened)
            }
        }
        if let opened { report(opened) }
        return connections
    }

    /// Returns if the operation should be tried again, and throws what its caller gets if not.
    private func recover(from error: any Error, on failed: Connections, attempt: Int) throws(StoreError) {
        guard attempt < Self.maximumAttempts else { throw .database(error) }
        let isDamage = StoreError.isDamage(error) && configuration.createsIfMissing
        let now = configuration.clock.now()
        let opened = try state.withLock { (state) throws(StoreError) -> DatabaseOpening.Opened? in
            guard case .open(let current) = state, current === failed else {
                // Closed or replaced since the operation began: `connections()` knows which.
                return nil
            }
            guard isDamage else { throw .database(error) }
            // Waits for the reads and writes under way; none of them takes this lock before it is done.
            failed.close()
            state = .broken
            let opened = try opening.open(replacing: failed.file, at: now)
            adopt(opened)
            state = .open(opened.connections)
            return opened
        }
        if let opened { report(opened) }
    }

    /// Takes over what a newly opened database says. Takes no lock that an operation holds.
    func adopt(_ opened: DatabaseOpening.Opened) {
        accesses.advance(past: opened.latestRecency)
    }

    /// Counts and reports what opening did. Call without holding a lock, since it runs the user's code.
    func report(_ opened: DatabaseOpening.Opened) {
        count(opened.removals)
        if let path = opened.setAsidePath {
            configuration.onEvent?(.databaseSetAside(path: path))
        }
    }

    /// Lets no further operation begin. Returns the connections for the caller to close, once.
    func markClosed() -> Connections? {
        state.withLock { state in
            defer { state = .closed }
            guard case .open(let connections) = state else { return nil }
            return connections
        }
    }
}
