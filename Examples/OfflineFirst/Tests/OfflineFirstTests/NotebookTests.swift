// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardModels
import Testing

@testable import OfflineFirst

@MainActor @Suite(.timeLimit(.minutes(1))) final class NotebookTests {
    private struct Refusal: Error {}

    private actor Server: NoteServer {
        var isAway = false
        private(set) var texts = ["a"]

        func setAway(_ isAway: Bool) { self.isAway = isAway }

        func note(_ id: String) throws -> Note {
            if isAway { throw Unreachable() }
            return Note(id: id, text: texts.last ?? "")
        }

        func save(_ note: Note) throws {
            if isAway { throw Unreachable() }
            if note.text.isEmpty { throw Refusal() }
            texts.append(note.text)
        }
    }

    private let server = Server()
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("notebook-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// A run of the app, in which a note is shown.
    private func run(events: AppEvents = .none, _ body: (Notebook, ObservedValue<String, Note>) async throws -> Void) async throws {
        let notebook = try Notebook(directory: directory.path, server: server)
        let note = notebook.note("1", events: events)
        note.start()
        try await body(notebook, note)
        note.stop()
        await notebook.close()
    }

    private func until(_ condition: () async -> Bool) async throws {
        while await !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func changesMadeOfflineOutliveTheAppAndAreSentInOrder() async throws {
        try await run { _, note in try await until { note.value?.text == "a" } }
        await server.setAway(true)
        try await run { notebook, note in
            try await until { note.value?.text == "a" }
            for text in ["b", "c"] { try await notebook.saving()(Note(id: "1", text: text)) }
            try await until { note.value?.text == "c" }
        }
        let (events, network) = AsyncStream<AppEvent>.makeStream()
        try await run(events: AppEvents { events }) { _, note in
            try await until { note.value?.text == "c" }
            #expect(await server.texts == ["a"])
            await server.setAway(false)
            network.yield(.reconnection)
            try await until { await server.texts == ["a", "b", "c"] }
        }
    }

    @Test func aRefusedChangeIsTakenBack() async throws {
        try await run { notebook, note in
            try await until { note.value?.text == "a" }
            await #expect(throws: Refusal.self) { try await notebook.saving()(Note(id: "1", text: "")) }
            try await until { note.value?.text == "a" }
        }
    }

    @Test func aChangeThatIsRefusedLaterGivesWayToTheServersNote() async throws {
        try await run { notebook, note in
            try await until { note.value?.text == "a" }
            await server.setAway(true)
            try await notebook.saving()(Note(id: "1", text: ""))
            try await until { note.value?.text == "" }
            await server.setAway(false)
            await note.refresh()
            try await until { note.value?.text == "a" }
        }
    }
}
