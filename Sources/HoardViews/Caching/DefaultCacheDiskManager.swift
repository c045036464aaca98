// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
public import Logging

/// References in a store, usually a `DiskStore`, which may have records of others as well.
///
/// ```swift
/// let disk = DefaultCacheDiskManager(store: try DiskStore(configuration: .init(directory: directory)))
/// await disk.update(reference)
/// while await disk.numberOfReferences() > 150 { await disk.removeLeastRecentlyUsed() }
/// ```
///
/// A reference is read back as it was written: data, hash, max age, time of creation and partition. A read writes nothing. The store does not wait for a slow
/// disk longer than its deadline, leaves a broken one alone for a while, and never gives back a reference that a broken
/// one has failed to remove. Identifiers are data: they may have any characters, and name no file. One that is longer
/// than a key may be (64 KiB, less the namespace) is not kept.
public final class DefaultCacheDiskManager: CacheDiskManagerProtocol {
    /// The name under which the references are kept in the store. Caches of other names do not see them, nor they those.
    public let namespace: String

    private let base: any EvictingRecordStore
    private let store: GuardedStore
    private let defaultMaxAge: Int
    private let clock: any WallClock
    private let logger: Logger
    private let tag: String

    /// - Parameters:
    ///   - store: The store that keeps the references. It stays the caller's: nothing here closes it.
    ///   - namespace: Not empty, and without U+0000. One instance should manage a namespace in a process.
    ///   - defaultMaxAge: For how many seconds references without a max age are fresh; for a person who looks into the
    ///     store.
    ///   - protection: How long the store is waited for, and when it is left alone.
    ///   - clock: The clock that tells the time.
    ///   - ticker: Measures deadlines.
    ///   - logger: Told when the store fails, works again, or refuses a reference.
    public init(
        store: any EvictingRecordStore,
        namespace: String = "views",
        defaultMaxAge: Int = 300,
        protection: StoreStack.Configuration = .init(),
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker = MonotonicTicker(),
        logger: Logger? = nil
    ) {
        precondition(!namespace.isEmpty && !namespace.utf8.contains(0), "A namespace must not be empty and must not contain U+0000.")
        self.namespace = namespace
        self.defaultMaxAge = defaultMaxAge
        self.clock = clock
        let logger = logger ?? .silent
        self.logger = logger
        tag = "\u{0}" + namespace
        base = store
        let storeName = store.name
        self.store = GuardedStore(store, configuration: protection, ticker: ticker) { event in
            logger.log(event)
        } onRefusal: {
            logger.warning("A view was too large for the store and is kept in memory only.", metadata: ["store": "\(storeName)"])
        }
    }

    /// How the store is doing.
    public var health: StoreHealth { store.health }

    private func recordKey(for identifier: String) -> RecordKey { RecordKey("\(namespace)\u{0}\(identifier)") }

    private func storePartition(_ partition: String) -> String { "\(namespace)\u{0}\(partition)" }

    /// The partition of a record, by its name in the store.
    private func partition(ofRecord storePartition: String?) -> String? {
        storePartition.map { String(decoding: $0.utf8.dropFirst(namespace.utf8.count + 1), as: UTF8.self) }
    }

    public func update(_ reference: CacheReference) async {
        let key = recordKey(for: reference.identifier)
        guard !reference.isSensitive else {
            // A removal is written down for other processes, with its key. Where there is nothing to remove, nothing tells that there is such a reference.
            if await store.mayHaveRecord(forKey: key) { await store.removeRecord(forKey: key) }
            return
        }
        guard key.bytes.count <= RecordKey.maximumByteCount else {
            return logger.warning("A view's identifier was too long for the store; the view is kept in memory only.")
        }
        let record = StoredReference.record(
            for: reference,
            defaultMaxAge: defaultMaxAge,
            tags: [tag],
            partition: reference.partition.map(storePartition),
            now: clock.now()
        )
        await store.insert(record, forKey: key)
    }

    public func getReference(for key: String) async -> CacheReference? {
        let recordKey = recordKey(for: key)
        guard let record = await store.record(forKey: recordKey) else { return nil }
        let reference = StoredReference.reference(of: record, identifier: key, partition: partition(ofRecord: record.partition))
        if reference == nil {
            logger.notice("A stored view could not be read and was removed.")
            await store.removeRecord(forKey: recordKey)
        }
        return reference
    }

    public func removeReference(for key: String) async { await store.removeRecord(forKey: recordKey(for: key)) }

    /// How many references there are; 0 if the store does not answer.
    public func numberOfReferences() async -> Int { await store.recordCount(taggedWith: tag) ?? 0 }

    public func removeLeastRecentlyUsed() async {
        guard let count = await store.recordCount(taggedWith: tag), count > 0 else { return }
        await store.removeLeastRecentlyUsedRecords(taggedWith: tag, keeping: count - 1)
    }

    public func removeLeastRecentlyUsed(keeping count: Int) async {
        await store.removeLeastRecentlyUsedRecords(taggedWith: tag, keeping: max(0, count))
    }

    public func noteUses(ofReferencesFor keys: [String]) async {
        let keys = keys.map(recordKey(for:)).filter { $0.bytes.count <= RecordKey.maximumByteCount }
        if !keys.isEmpty { await store.noteUses(ofRecordsForKeys: keys) }
    }

    public func removePartition(_ partition: String) async { await store.removePartition(storePartition(partition)) }

    public func clear() async { await store.removeRecords(taggedWith: tag) }

    public func saveChanges() async { await store.flush() }
}

/// Watching other processes.
extension DefaultCacheDiskManager {
    /// The changes that other processes make in this namespace, as far as the store reports them.
    public func changesByOthers() -> AsyncStream<CacheDiskChange>? {
        guard let invalidations = base.invalidations() else { return nil }
        let (changes, continuation) = AsyncStream.makeStream(of: CacheDiskChange.self)
        let task = startTask { [tag, prefix = recordKey(for: "").bytes] in
            for await invalidation in invalidations {
                if let change = Self.change(invalidation, tag: tag, prefix: prefix) { continuation.yield(change) }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return changes
    }

    /// The change that an invalidation means for the references; `nil`: none.
    private static func change(_ invalidation: StoreInvalidation, tag: String, prefix: [UInt8]) -> CacheDiskChange? {
        guard let key = invalidation.key else {
            // The names of the namespace's partitions begin as its keys do.
            let isOfPartition = invalidation.partition?.utf8.starts(with: prefix) ?? false
            return invalidation.isOfEverything || invalidation.tags.contains(tag) || isOfPartition ? CacheDiskChange(identifier: nil) : nil
        }
        guard key.bytes.starts(with: prefix) else { return nil }
        return CacheDiskChange(identifier: String(validating: key.bytes.dropFirst(prefix.count), as: UTF8.self))
    }
}
