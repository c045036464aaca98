// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
public import Hoard
import Synchronization

/// A store in a directory: records that outlive the process, bounded in number and bytes.
///
/// ```swift
/// let store = try DiskStore(configuration: .init(directory: "/var/cache/example", maximumBytes: 256 << 20))
/// try await store.insert(Record(payload: data, created: .now), forKey: "greeting")
/// let record = try await store.record(forKey: "greeting")
/// await store.close()
/// ```
///
/// **What waits.** Opening blocks its caller. A read works on the caller's thread, because moving to another one takes longer than the read;
/// it blocks for the time of one query, and never for a writer. Everything else suspends: it moves to the store's writing
/// thread, where one transaction runs at a time. Cancelling a task does not stop its operation.
///
/// **What survives.** A write that has returned survives the end of the process, however it ends. After the computer itself has failed,
/// the latest writes may be missing, but what is there is whole. Every record has a checksum over its key, metadata and payload;
/// one that fails it is a miss, is counted as a corruption and is removed. It detects damage, not forgery.
///
/// **What leaves.** Limits hold after every write: first expired records make room, then the least recently used ones.
/// Reading counts as a use, and changes no date but ``Record/lastAccess``. Uses are collected in memory and written along with the next write,
/// when there are about a thousand, and on ``close()``; a process that is killed forgets those it had not written.
///
/// **What goes wrong.** A damaged database is moved aside, reported to ``Configuration/onEvent`` and replaced by an empty one, at the start as
/// well as later: the operation that found the damage carries on as if the record were missing. While the disk is full, writes throw
/// ``StoreError/Code/full``, reads go on, and the store recovers by itself.
///
/// Several stores, in one process or in many, may open one directory. Each sees what the others wrote; they share the limits
/// as far as they are configured alike. They do not announce changes to each other: ``RecordStore/invalidations()`` is `nil`.
public final class DiskStore: RecordStore {
    /// What each record is charged beside its own bytes, for its row and its entries in the indices.
    public static var bytesChargedPerRecord: Int { 256 }

    enum State {
        case open(Connections)
        /// The database could not be replaced after it was found to be damaged. The next operation tries again.
        case broken
        case closed
    }

    let configuration: Configuration
    let opening: DatabaseOpening
    /// Held while a damaged database is replaced, so that all operations wait for the new one.
    let state: Mutex<State>
    let counters = Mutex(Counters())
    let accesses = AccessLog()
    /// Makes a row's primary key of a record's key.
    let identify: @Sendable (RecordKey) -> Int64

    /// Opens a store, and creates its directory and database if ``Configuration/createsIfMissing`` says so.
    ///
    /// Blocks; a store that is opened by several processes at once may take some seconds. If the limits are lower than
    /// what the store holds, records are removed until it fits.
    ///
    /// - Throws: ``StoreError/Code/notADirectory``, ``StoreError/Code/permissionDenied``, ``StoreError/Code/foreign`` if another program made
    ///   the database, ``StoreError/Code/newerFormat``, ``StoreError/Code/full``, or ``StoreError/Code/unavailable``.
    ///   No file of a foreign or newer store is touched.
    public convenience init(configuration: Configuration) throws(StoreError) {
        try self.init(configuration: configuration, identify: RecordIdentifier.identifier)
    }

    init(configuration: Configuration, identify: @escaping @Sendable (RecordKey) -> Int64) throws(StoreError) {
        self.configuration = configuration
        self.identify = identify
        opening = try DatabaseOpening(configuration: configuration)
        let opened = try opening.open(at: configuration.clock.now())
        state = Mutex(.open(opened.connections))
        adopt(opened)
        report(opened)
    }

    deinit {
        if let connections = markClosed() {
            connections.flush(accesses)
            connections.close()
        }
    }

    /// ``Configuration/name``.
    public var name: String { configuration.name }
}

extension DiskStore {
    /// Opens a store that exists, for tools that look into it. Creates nothing and replaces nothing.
    ///
    /// The store has no limits and can be written to. Blocks. See ``Configuration/createsIfMissing``.
    ///
    /// - Throws: ``StoreError/Code/unavailable`` if the directory has no store, ``StoreError/Code/corrupt`` if the database is damaged,
    ///   and what ``init(configuration:)`` throws.
    public static func openExisting(
        directory: String,
        name: String = "disk",
        clock: any WallClock = SystemWallClock()
    ) throws(StoreError) -> DiskStore {
        try DiskStore(
            configuration: Configuration(directory: directory, name: name, maximumBytes: nil, clock: clock, createsIfMissing: false)
        )
    }
}
