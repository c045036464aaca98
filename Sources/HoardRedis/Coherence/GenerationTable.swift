// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The generations of tags, of partitions and of everything that a process has read, for as long as the connection tells of their changes.
struct GenerationTable: Sendable {
    /// A generation key, as far as it is known.
    struct Entry: Sendable, Hashable {
        /// `nil`: there is none, and records that refer to one are removed.
        let generation: Generation?
        /// A moment before the reading was sent that told of it.
        let sent: UInt64
        /// The moment at which the reply came.
        let moment: UInt64
        /// The time for which the key will be there; `nil` if that was not asked.
        let expiration: KeyExpiration?
    }

    private var entries: AgingTable<Entry>
    /// When the latest reply came that told of a generation that this process has created.
    private var latestCreation: UInt64 = 0

    init(capacity: Int) {
        entries = AgingTable(capacity: capacity)
    }

    subscript(key: KeyHash) -> Entry? {
        mutating get { entries[key] }
    }

    /// Takes over the generation that a read has found, unless the table may have something newer.
    ///
    /// - Parameters:
    ///   - log: Says whether the key may have changed since.
    mutating func note(_ entry: Entry, for key: KeyHash, log: ChangeLog) {
        if log.hasChanged(key, since: entry.sent) { return }
        // The server does not tell a process of what it has created itself, so there may be a generation by now.
        if entry.generation == nil, entry.sent < latestCreation { return }
        if let known = entries[key], known.moment > entry.sent {
            // Of two reads that were under way at once, the one that knows how long the key will be there knows more. If only one has found a
            // generation, it was the later one: of all that takes a generation away, the log would know.
            guard known.expiration == nil, known.generation == entry.generation || known.generation == nil else { return }
        }
        _ = entries.insert(entry, for: key)
    }

    /// This process has created a generation where there was none, or may have.
    mutating func created(_ key: KeyHash, at moment: UInt64) {
        latestCreation = moment
        if let known = entries[key], known.generation == nil { entries.remove(key) }
    }

    mutating func forget(_ key: KeyHash) { entries.remove(key) }

    mutating func forgetEverything() { entries.removeAll() }

    var count: Int { entries.count }
}

/// The time until which a key is on the server, by a process's own ticker.
enum KeyExpiration: Sendable, Hashable {
    case never
    /// In nanoseconds.
    case at(Int64)

    /// Whether the key will be there for so long from `now` on; `nil`: for ever.
    func lasts(_ nanoseconds: Int64?, from now: Int64) -> Bool {
        switch self {
        case .never: true
        case .at(let end): nanoseconds.map { end &- now >= $0 } ?? false
        }
    }
}
