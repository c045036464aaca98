// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import HoardTesting
import HoardViews
import Logging
import Synchronization

/// A temporary directory for a store, and the time of a test. The directory goes with it.
final class CachingWorkspace: Sendable {
    let root = NSTemporaryDirectory() + "hoard-views-tests-\(UUID().uuidString)"
    let time = ManualTicker()
    let log = RecordedLog()

    deinit { try? FileManager.default.removeItem(atPath: root) }

    var directory: String { root + "/cache" }

    /// How references are kept.
    enum Kind: CaseIterable, Sendable { case memory, disk, encrypted, behind }

    func disk(_ kind: Kind = .disk, maximumCount: Int? = nil) throws -> DiskStore {
        var configuration = DiskStore.Configuration(directory: directory, maximumCount: maximumCount, clock: time)
        configuration.maximumInlinePayloadBytes = 4_096
        if kind == .encrypted { configuration.encryptionKey = try .init(identifier: "test", bytes: Array(0..<32)) }
        if kind == .behind { configuration.writeMode = .behind }
        return try DiskStore(configuration: configuration)
    }

    func store(_ kind: Kind) throws -> any EvictingRecordStore {
        kind == .memory ? MemoryStore(clock: time) : try disk(kind)
    }

    func manager(
        _ store: (any EvictingRecordStore)?,
        _ configuration: CacheManager.Configuration = .init(),
        namespace: String = "views",
        protection: StoreStack.Configuration = .init()
    ) -> CacheManager {
        CacheManager(
            configuration: configuration,
            store: store,
            namespace: namespace,
            protection: protection,
            clock: time,
            ticker: time,
            logger: log.logger
        )
    }

    func diskManager(_ store: any EvictingRecordStore, namespace: String = "views") -> DefaultCacheDiskManager {
        DefaultCacheDiskManager(store: store, namespace: namespace, clock: time, ticker: time, logger: log.logger)
    }

    func reference(
        _ identifier: String,
        _ text: String = "text",
        hash: String = "hash",
        maxAge: Int? = 60,
        partition: String? = nil,
        isSensitive: Bool = false
    ) -> CacheReference {
        CacheReference(
            identifier: identifier,
            data: Data(text.utf8),
            hash: hash,
            maxAge: maxAge,
            timeOfCreation: time.now(),
            partition: partition,
            isSensitive: isSensitive
        )
    }

    /// The bytes of all files below the store's directory.
    func bytesOnDisk() throws -> Data {
        var all = Data()
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            all += (try? Data(contentsOf: URL(fileURLWithPath: directory + "/" + path))) ?? Data()
        }
        return all
    }
}

/// Keeps the logged lines.
final class RecordedLog: Sendable {
    struct Line: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: Logger.Metadata
    }

    private let recorded = Mutex<[Line]>([])

    var lines: [Line] { recorded.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { _ in Handler(log: self) }
    }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.recorded.withLock { $0.append(Line(level: event.level, message: "\(event.message)", metadata: event.metadata ?? [:])) }
        }
    }
}

/// A disk manager that knows no more than the protocol asks for.
final class PlainDiskManager: CacheDiskManagerProtocol {
    private struct State {
        /// Least recently used first.
        var references: [CacheReference] = []
        var removals = 0
        var saves = 0
    }

    private let state = Mutex(State())
    private let changes: AsyncStream<CacheDiskChange>?

    init(changes: AsyncStream<CacheDiskChange>? = nil) { self.changes = changes }

    var identifiers: [String] { state.withLock { $0.references.map(\.identifier) } }
    var saveCount: Int { state.withLock { $0.saves } }

    func update(_ reference: CacheReference) async {
        state.withLock { state in
            state.references.removeAll { $0.identifier == reference.identifier }
            if !reference.isSensitive { state.references.append(reference) }
        }
    }

    func getReference(for key: String) async -> CacheReference? {
        state.withLock { state in
            guard let index = state.references.firstIndex(where: { $0.identifier == key }) else { return nil }
            state.references.append(state.references.remove(at: index))
            return state.references.last
        }
    }

    func removeReference(for key: String) async { state.withLock { $0.references.removeAll { $0.identifier == key } } }
    func numberOfReferences() async -> Int { state.withLock { $0.references.count } }
    func removeLeastRecentlyUsed() async { state.withLock { state in if !state.references.isEmpty { state.references.removeFirst() } } }
    func removePartition(_ partition: String) async { state.withLock { $0.references.removeAll { $0.partition == partition } } }
    func clear() async { state.withLock { $0.references = [] } }
    func saveChanges() async { state.withLock { $0.saves += 1 } }
    func changesByOthers() -> AsyncStream<CacheDiskChange>? { changes }
}
