// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

/// A store in a directory: records that outlive the process, bounded in number and bytes.
///
/// ```swift
/// let store = try DiskStore(configuration: .init(directory: "/var/cache/example", maximumBytes: 256 << 20))
/// try await store.insert(Record(payload: data, created: .now), forKey: "greeting")
/// let record = try await store.record(forKey: "greeting")
/// await store.close()
/// ```
///
/// **Blocking.** Opening blocks its caller. A read works on the caller's thread, because moving to another one takes longer than the read. It blocks
/// for one query, or for one file, and never for a writer. A write prepares its record on the caller's thread, and writes a large payload's file
/// there. Then it suspends until the writing thread has committed it together with the other waiting writes (``WriteMode``). Cancelling a task does
/// not stop its write.
///
/// **Files.** An SQLite database has keys, metadata and payloads up to ``Configuration/maximumInlinePayloadBytes``. Longer payloads have files of
/// their own, named by a hash with a secret of the store's; values of any length stream in and out: ``writer(forKey:beginningWith:)``,
/// ``reader(forKey:)``.
///
/// **Durability.** A durable write that has returned survives the end of the process, however it ends. After the computer itself has failed, the
/// latest writes may be missing unless ``Configuration/synchronizesCommits`` is on, but the remaining records are whole. Every record has a checksum
/// over its key, metadata and payload; one that fails it is a miss, is counted as a corruption and is removed. It detects damage, not forgery; with
/// an ``EncryptionKey``, forgery too.
///
/// **Eviction.** Limits hold after every commit: first expired records make room. Then the oldest leave of those that have not been read since they
/// came, as long as they are more than a fifth of all; otherwise, of those that have, the least recently used. So records that nobody asks for again do
/// not drive out those that are read often. One that comes again soon after it was evicted unread counts as read. In a store of fewer than 256
/// records, the least recently used leaves. (2Q, Johnson and Shasha, VLDB 1994.) Reading counts as a use, and changes no date but
/// ``Record/lastAccess``. Uses are collected in memory and written along with the next commit, when there are some thousands, and on ``close()``; a
/// process that is killed forgets those it had not written.
///
/// **Failures.** A damaged database is moved aside, reported to ``Configuration/onEvent`` and replaced by an empty one, at the start as well as
/// later. The operation that found the damage goes on as if the record were missing. So it is when the directory is deleted under the running
/// process. While the disk is full, writes throw ``StoreError/Code/full``, reads go on, and the store recovers by itself. Setting the clock back
/// makes records expire later, as their dates say, and does not disturb the order of eviction.
///
/// **Several processes** may open one directory, and several stores in one process. Each sees the writes of the others. They share the limits if they
/// are configured alike, and one at a time evicts. ``invalidations()`` reports the changes of the others.
public final class DiskStore: ImmediateRecordStore {
    /// The bytes that each record is charged in addition to its own, for its row and its entries in the indices.
    public static var bytesChargedPerRecord: Int { 256 }

    /// The longest payload that is handled in one piece, in bytes. Longer ones are streamed.
    public static var largestPayloadInMemory: Int { 512 << 20 }

    let core: DiskCore

    /// Opens a store, and creates its directory and database if ``Configuration/createsIfMissing`` says so.
    ///
    /// Blocks; a store that is opened by several processes at once may take some seconds. If the store holds more than the limits, records are
    /// removed until it fits. A store of an older format is brought to the present one.
    ///
    /// - Throws: ``StoreError/Code/notADirectory``, ``StoreError/Code/permissionDenied``, ``StoreError/Code/foreign`` if another program made
    ///   the database, ``StoreError/Code/newerFormat``, ``StoreError/Code/wrongKey``, ``StoreError/Code/full``, or ``StoreError/Code/unavailable``.
    ///   No file of a foreign or newer store, or of one with another key, is touched.
    public convenience init(configuration: Configuration) throws(StoreError) {
        try self.init(configuration: configuration, identifierOverride: nil)
    }

    /// - Parameters:
    ///   - identifierOverride: Hashes keys instead of the store's secret.
    ///   - delaysFollowUp: Whether the work in the background that follows an opening begins with ``DiskCore/finishHousekeeping()`` only.
    init(configuration: Configuration, identifierOverride: RecordIdentifier?, delaysFollowUp: Bool = false) throws(StoreError) {
        core = try DiskCore(configuration: configuration, identifierOverride: identifierOverride, delaysFollowUp: delaysFollowUp)
    }

    deinit { core.closeBlocking() }

    /// ``Configuration/name``.
    public var name: String { core.configuration.name }
}

extension DiskStore {
    /// Opens an existing store, for tools that look into it. Creates nothing and replaces nothing.
    ///
    /// The store has no limits and can be written to. Blocks. See ``Configuration/createsIfMissing``.
    ///
    /// - Throws: ``StoreError/Code/unavailable`` if the directory has no store, ``StoreError/Code/corrupt`` if the database is damaged,
    ///   and the errors of ``init(configuration:)``.
    public static func openExisting(
        directory: String,
        name: String = "disk",
        clock: any WallClock = SystemWallClock(),
        encryptionKey: EncryptionKey? = nil
    ) throws(StoreError) -> DiskStore {
        try DiskStore(
            configuration: Configuration(
                directory: directory,
                name: name,
                maximumBytes: nil,
                clock: clock,
                createsIfMissing: false,
                encryptionKey: encryptionKey
            )
        )
    }
}
