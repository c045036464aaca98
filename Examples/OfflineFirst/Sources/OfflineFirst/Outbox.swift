// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk

/// Sends changes to the server, and keeps those that it cannot send, in their order.
actor Outbox {
    /// A store and no cache: there is no other copy. So it has no limit that could evict a change, and its
    /// changes survive a loss of power.
    private let store: DiskStore
    private let server: any NoteServer
    private let onRefusal: @Sendable (Note) async -> Void
    private let codec = Codec<Note>.json(schema: "note/1")
    private var lastTurn: Task<Void, any Error>?

    /// - Parameter onRefusal: Called with a kept change that the server has refused when it got it at last.
    init(directory: String, server: any NoteServer, onRefusal: @escaping @Sendable (Note) async -> Void) throws {
        store = try DiskStore(configuration: .init(directory: directory, name: "outbox", maximumBytes: nil, synchronizesCommits: true))
        (self.server, self.onRefusal) = (server, onRefusal)
    }

    /// Sends the waiting changes, then this change; keeps it if the server cannot be reached.
    func save(_ note: Note) async throws {
        try await inTurn { [self] in
            do {
                try await sendAll()
                try await server.save(note)
            } catch is Unreachable {
                let last = try await store.entries(limit: 1, order: .key.reversed).first?.key.bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                // The bytes of a number in this form have the order of the numbers.
                let key = RecordKey(bytes: withUnsafeBytes(of: ((last ?? 0) + 1).bigEndian, Array.init))
                try await store.insert(Record(payload: try codec.encode(note), created: Date()), forKey: key)
            }
        }
    }

    /// Sends the waiting changes. Throws ``Unreachable`` if a change has to wait longer.
    func sendUnsent() async throws { try await inTurn { [self] in try await sendAll() } }

    func close() async { await store.close() }

    private func sendAll() async throws {
        while let key = try await store.entries(limit: 1, order: .key).first?.key {
            guard let note = try await unsentNote(forKey: key) else {
                // A later version of the app may read notes otherwise. A note that the app cannot read
                // must not stop the other notes.
                try await store.removeRecord(forKey: key)
                continue
            }
            var isRefused = false
            do {
                try await server.save(note)
            } catch let error as Unreachable {
                throw error
            } catch {
                isRefused = true
            }
            try await store.removeRecord(forKey: key)
            // The user sees a later change of the same note.
            if isRefused, try await !hasUnsentChange(of: note.id) { await onRefusal(note) }
        }
    }

    private func unsentNote(forKey key: RecordKey) async throws -> Note? {
        try await store.record(forKey: key).flatMap { try? codec.decode($0.payload) }
    }

    private func hasUnsentChange(of id: String) async throws -> Bool {
        for entry in try await store.entries(limit: .max, order: .key) {
            if try await unsentNote(forKey: entry.key)?.id == id { return true }
        }
        return false
    }

    /// One after the other: a change must not overtake an earlier one that is still being sent.
    private func inTurn(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let turn = Task { [lastTurn] in
            _ = await lastTurn?.result
            try await work()
        }
        lastTurn = turn
        try await turn.value
    }
}
