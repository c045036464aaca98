// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardDisk
import HoardModels

struct Note: Codable, Hashable, Sendable {
    let id: String
    var text: String
}

/// The server cannot be asked now. Any other error that it throws is a refusal.
struct Unreachable: Error {}

protocol NoteServer: Sendable {
    func note(_ id: String) async throws -> Note
    /// Saving a note twice must do no harm: an app that ends before it has noted the success sends the note again.
    func save(_ note: Note) async throws
}

/// Notes that are shown and changed whether or not there is a network.
struct Notebook: Sendable {
    let notes: TieredCache<String, Note>
    let outbox: Outbox
    private let server: any NoteServer

    init(directory: String, server: any NoteServer) throws {
        var policy = CachePolicy(freshFor: .seconds(60))
        // An old note is better than none, for a year.
        policy.staleIfError = .seconds(365 * 86_400)
        let disk = try DiskStore(configuration: .init(directory: directory + "/notes", maximumBytes: 64 << 20))
        let configuration = TieredCache<String, Note>.Configuration(maximumCount: 1_000, policy: policy)
        let notes = TieredCache(configuration: configuration, stores: [disk], codec: .json(schema: "note/1"))
        (self.notes, self.server) = (notes, server)
        // After a late refusal the server's own note is loaded: at once, if it is shown.
        outbox = try Outbox(directory: directory + "/outbox", server: server) { await notes.removeValue(forKey: $0.id) }
    }

    /// A note as a view shows it: from the disk at once, then from the server, and again when the network comes back.
    @MainActor func note(_ id: String, events: AppEvents = .system) -> ObservedValue<String, Note> {
        var refresh = RefreshPolicy()
        (refresh.events, refresh.minimumAge) = (events, .zero)
        return ObservedValue(notes, forKey: id, refresh: refresh) { [outbox, server] id in
            // The waiting changes go first, so that the server's note is never older than the user's. If that
            // fails, so does the load, and the kept note stays.
            try await outbox.sendUnsent()
            return try await server.note(id)
        }
    }

    /// Saves a note: shown at once, on the disk as soon as it is sent or waits in the outbox, taken back if the server refuses it.
    @MainActor func saving() -> ObservedMutation<Note, Note> {
        ObservedMutation { [outbox] note in
            try await outbox.save(note)
            return note
        } changes: { [notes] note in
            [.update(notes, forKey: note.id, to: { _ in note }, confirmed: { $0 })]
        }
    }

    func close() async {
        await notes.close()
        await outbox.close()
    }
}
