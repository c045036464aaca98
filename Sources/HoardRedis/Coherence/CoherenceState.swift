// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore

/// A process's knowledge of the server's keys, and the conclusions from the server's messages. Does no I/O; its owner
/// holds a lock.
struct CoherenceState: Sendable {
    private(set) var log: ChangeLog
    private(set) var versions: VersionTable
    private(set) var generations: GenerationTable
    private(set) var ownWrites = OwnWrites()
    /// When generations were forgotten last, by the process's ticker.
    private var generationsBegan = Int64.min / 2
    /// Whether a connection stands that tells of changes.
    private(set) var isConnected = false
    /// Counts connections and their ends.
    private(set) var connectionEventCount = 0
    let keys: RedisKeys
    /// Whether the server is asked to tell of changes.
    let isTracked: Bool

    init(keys: RedisKeys, isTracked: Bool, changeLogCapacity: Int, versionCapacity: Int, generationCapacity: Int) {
        self.keys = keys
        self.isTracked = isTracked
        log = ChangeLog(capacity: changeLogCapacity)
        versions = VersionTable(capacity: versionCapacity)
        // If the server does not tell of changes, generations must be read each time.
        generations = GenerationTable(capacity: isTracked ? generationCapacity : 0)
    }

    mutating func moment() -> UInt64 { log.moment() }

    // MARK: The server's reports

    mutating func connected() {
        isConnected = true
        connectionEventCount += 1
        changedEverything()
    }

    mutating func disconnected() {
        isConnected = false
        connectionEventCount += 1
        changedEverything()
    }

    private mutating func changedEverything() {
        log.noteEverything()
        versions.forgetEverything()
        generations.forgetEverything()
        ownWrites.forgetTellings()
    }

    /// Takes over a message of the server.
    mutating func handle(push: [RESPValue]) -> Tidings {
        var tidings = Tidings()
        guard push.count >= 2, push[0].isText("invalidate") else { return tidings }
        guard case .array(let names) = push[1] else {
            // `FLUSHALL` and `FLUSHDB`.
            changedEverything()
            tidings.isOfEverything = true
            return tidings
        }
        for case .bulkString(let name) in names {
            guard let (kind, offset) = keys.kind(of: name) else { continue }
            let hash = KeyHash(kind, in: name, from: offset)
            log.note(hash)
            tidings.keys.append(hash)
            switch kind {
            case .record:
                versions.forget(hash)
                if ownWrites.holdBack(hash) { continue }
            case .tag, .partition, .everything: generations.forget(hash)
            case .lease: continue
            }
            tidings.add(kind, name: name.readableBytesView.dropFirst(offset))
        }
        return tidings
    }

    // MARK: This process's changes

    /// A reply has told a key's version.
    mutating func saw(_ version: RecordVersion, of key: KeyHash) {
        versions.note(version, of: key, at: log.moment())
    }

    /// This process is about to change keys or generations. It is noted before anything is sent. The task that sends may go on long after the reply
    /// has come. A load of this process that reads the new version meanwhile must not take it for the one that it began with.
    mutating func changes(_ keys: some Sequence<KeyHash>) {
        for key in keys { log.note(key) }
    }

    /// Notes that this process has written a key, which has this version now unless another writer was faster. `nil` if the version is unknown.
    mutating func wrote(_ version: RecordVersion?, of key: KeyHash) {
        log.note(key)
        if let version {
            versions.note(version, of: key, at: log.moment())
        } else {
            versions.forget(key)
        }
    }

    mutating func forgetVersion(of key: KeyHash) { versions.forget(key) }

    /// This process has given a tag, a partition or everything another generation, or has marked it, or may have.
    mutating func changed(_ scope: KeyHash) {
        log.note(scope)
        generations.forget(scope)
    }

    /// A reply tells that this process has created a generation where there was none, or there is no reply, and it may have.
    mutating func created(_ scope: KeyHash) { generations.created(scope, at: log.moment()) }

    /// A reply has told a generation.
    mutating func saw(_ generation: Generation?, _ expiration: KeyExpiration?, of scope: KeyHash, sentAt sent: UInt64) {
        generations.note(.init(generation: generation, sent: sent, moment: log.moment(), expiration: expiration), for: scope, log: log)
    }

    mutating func sighting(of key: KeyHash) -> VersionTable.Sighting? { versions.sighting(of: key) }

    /// Forgets the generations from time to time, so that they are read again and the server notes that they are in use.
    ///
    /// The server evicts first the keys that no client reads, and with a generation goes every record that refers to it.
    mutating func renewGenerations(at now: Int64) {
        guard now &- generationsBegan >= Self.generationInterval else { return }
        generationsBegan = now
        generations.forgetEverything()
    }

    /// One minute.
    static var generationInterval: Int64 { 60_000_000_000 }

    mutating func generation(of scope: KeyHash) -> GenerationTable.Entry? { generations[scope] }

    mutating func beginScript(on key: KeyHash) { ownWrites.begin(key) }

    func tellings(of key: KeyHash) -> Int { ownWrites.tellings(of: key) }

    mutating func endScript(on key: KeyHash, seen: Int?) -> OwnWrites.Ending { ownWrites.end(key, seen: seen) }
}

/// The changes that a message of the server reports to watchers of the store.
struct Tidings: Sendable, Hashable {
    /// All keys that have changed, for callers that wait for one of them.
    var keys: [KeyHash] = []
    var records: [RecordKey] = []
    var tags: Set<String> = []
    var partitions: [String] = []
    var isOfEverything = false

    mutating func add(_ kind: RedisKeys.Kind, name: ByteBufferView) {
        switch kind {
        case .record: records.append(RecordKey(bytes: name))
        case .everything: isOfEverything = true
        case .lease: break
        case .tag, .partition:
            guard let text = String(validating: name, as: UTF8.self) else { return }
            if kind == .tag { tags.insert(text) } else { partitions.append(text) }
        }
    }

    var invalidations: [StoreInvalidation] {
        if isOfEverything { return [.everything] }
        var invalidations = records.map { StoreInvalidation(key: $0) }
        invalidations += partitions.map { StoreInvalidation(partition: $0) }
        if !tags.isEmpty { invalidations.append(StoreInvalidation(tags: tags)) }
        return invalidations
    }
}

extension RESPValue {
    /// Whether it is a text of these characters, in one of the forms that servers use.
    func isText(_ text: String) -> Bool {
        switch self {
        case .simpleString(let string): string == text
        case .bulkString(let bytes): bytes.readableBytesView.elementsEqual(text.utf8)
        default: false
        }
    }
}
