// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
public import Logging
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Keeps screens in memory and on a disk.
///
/// ```swift
/// let disk = try DiskStore(configuration: .init(directory: directory))
/// let manager = CacheManager(configuration: .init(diskMaximumCapacity: 150, cacheMaxAge: 300), store: disk)
/// await manager.addToCache(reference)
/// if let reference = await manager.getReference(identifiedBy: "/home"), manager.isValid(reference: reference) { show(reference.data) }
/// ```
///
/// - A reference comes back as it was added. Reading it makes it the most recently used one, and changes nothing else: neither its time of creation
///   nor anything on the disk, where uses are collected until something is written.
/// - Changes are made one at a time, in the order in which they were asked for, and hold in memory and on the disk when the call returns. A read that was
///   under way puts nothing back that a change has replaced or removed.
/// - References with ``CacheReference/isSensitive`` stay in memory, and remove the reference that the disk has under
///   their identifier.
/// - When another process changes a reference on a shared disk, memory drops it soon after.
/// - A disk that is full, slow or broken is passed by: references that cannot be written are kept in memory only, and no caller sees an error.
public final class CacheManager: CacheManagerProtocol {
    /// The bytes that a reference in memory is charged beside its data, identifier and hash.
    public static var overheadBytesPerReference: Int { 128 }

    /// The limits that the manager was created with.
    public let configuration: Configuration

    let disk: (any CacheDiskManagerProtocol)?
    let clock: any WallClock
    let memory: Cache<RecordKey, Held>
    /// Guards every publication to memory. No other code than the memory's runs inside.
    let state = Mutex(State())
    let turns = Turns()
    /// Listens to the disk.
    private let watcher = Mutex<Task<Void, Never>?>(nil)

    /// A manager over a store.
    ///
    /// - Parameters:
    ///   - configuration: How many references are kept, and for how long they are valid.
    ///   - store: The store that keeps references beyond the life of the process, such as a `DiskStore`. The caller may
    ///     share it with other caches, and closes it. `nil`: they are in memory only.
    ///   - namespace: The name under which the references are kept in the store.
    ///   - protection: How long the store is waited for, and when it is left alone.
    ///   - clock: Says whether references are valid.
    ///   - ticker: Measures how long the store is waited for.
    ///   - logger: Told when the store fails, works again, or refuses a reference. `nil`: nothing is logged.
    public convenience init(
        configuration: Configuration = .init(),
        store: (any EvictingRecordStore)?,
        namespace: String = "views",
        protection: StoreStack.Configuration = .init(),
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker = MonotonicTicker(),
        logger: Logger? = nil
    ) {
        let disk = store.map { store in
            DefaultCacheDiskManager(
                store: store,
                namespace: namespace,
                defaultMaxAge: configuration.cacheMaxAge,
                protection: protection,
                clock: clock,
                ticker: ticker,
                logger: logger
            )
        }
        self.init(configuration: configuration, disk: disk, clock: clock)
    }

    /// A manager over a disk manager of one's own. `nil`: references are in memory only.
    public init(configuration: Configuration = .init(), disk: (any CacheDiskManagerProtocol)?, clock: any WallClock = SystemWallClock()) {
        configuration.checkLimits()
        self.configuration = configuration
        self.disk = disk
        self.clock = clock
        memory = Cache(
            configuration: .init(maximumCount: configuration.memoryMaximumCapacity, maximumWeight: configuration.memoryMaximumBytes)
        )
        let task = watchDisk()
        watcher.withLock { $0 = task }
    }

    deinit { watcher.withLock { $0 }?.cancel() }

    /// Whether a reference may be shown without asking the server: its creation is less than its max age ago. Never suspends. O(1).
    ///
    /// One that says that it was created later than now, by as much as its max age or more, is not valid: the clock has been set back since.
    public func isValid(reference: CacheReference) -> Bool {
        // Beyond that, the clock has been set back since the reference was created, and its age is unknown.
        abs(clock.now().timeIntervalSince(reference.timeOfCreation)) < Double(reference.maxAge ?? configuration.cacheMaxAge)
    }

    /// The counters as they stand now.
    public var statistics: CacheManagerStatistics {
        var statistics = state.withLock { $0.statistics }
        statistics.memoryCount = memory.count
        statistics.memoryBytes = memory.totalWeight
        return statistics
    }
}

/// The state that the lock of a manager guards.
extension CacheManager {
    /// A reference in memory, and which change or read has put it there.
    struct Held: Sendable {
        let reference: CacheReference
        let number: UInt64
    }

    struct State: Sendable {
        var statistics = CacheManagerStatistics()
        /// Grows with the beginning and the end of every change.
        var version: UInt64 = 0
        var isChanging = false
        /// The version at which a partition was last removed. Older references of it in memory are gone.
        var partitionRemovals: [RecordKey: UInt64] = [:]
        /// References that memory has answered with and of whose use the disk does not know, in the order of the numbers.
        var uses: [RecordKey: UInt64] = [:]
        var useCount: UInt64 = 0
        /// Whether a task is under way that tells the disk of them.
        var isTellingUses = false
        /// Whether the disk has been brought down to its capacity since the start.
        var isTrimmed = false

        /// How many partitions' removals are remembered before memory is emptied instead.
        static let maximumPartitionRemovalCount = 1_024
        /// The number of uses that are collected before the disk is told of them without waiting for a change.
        static let useCapacity = 64

        func isRemoved(_ held: Held) -> Bool {
            guard let partition = held.reference.partition, let removal = partitionRemovals[RecordKey(partition)] else { return false }
            return held.number <= removal
        }
    }
}
