// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A run of one kind of fault, with its seed, its files, its counts and its failures.
final class Campaign {
    let name: String
    let seed: UInt64
    /// The campaign's own directory.
    let directory: String
    private(set) var failureCount = 0
    /// The counts for the summary, in the order in which they were first mentioned.
    private var counts: [(what: String, count: Int)] = []
    private let keepsFiles: Bool
    private let stopsAtFailure: Bool
    private let start = ContinuousClock.now
    private let terminal = Terminal()

    init(name: String, seed: UInt64, directory: String, keepsFiles: Bool, stopsAtFailure: Bool) {
        self.name = name
        self.seed = seed
        self.directory = directory
        self.keepsFiles = keepsFiles
        self.stopsAtFailure = stopsAtFailure
    }

    func count(_ what: String, _ number: Int = 1) {
        if let index = counts.firstIndex(where: { $0.what == what }) {
            counts[index].count += number
        } else {
            counts.append((what, number))
        }
    }

    /// Notes a failure.
    ///
    /// - Parameter place: The round or the case, in words.
    func fail(_ place: String, _ what: String) {
        failureCount += 1
        terminal.report("\(name): \(place): \(what)")
    }

    /// Adds a remark to a failure.
    func remark(_ place: String, _ what: String) {
        terminal.report("\(name): \(place): (\(what))")
    }

    func fail(_ place: String, _ all: [String]) {
        for what in all { fail(place, what) }
    }

    /// Whether the campaign should end early.
    var shouldStop: Bool { failureCount >= (stopsAtFailure ? 1 : 1000) }

    /// Shows the progress of the campaign on a terminal.
    func show(_ done: Int, of total: Int, _ unit: String) {
        terminal.show("\(name): \(done) of \(total) \(unit), \(failureCount) failures")
    }

    /// Runs the campaign and ends it. An error that `body` throws is a failure: the campaign could not go on.
    func run(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            fail("the campaign could not go on", "\(error)")
        }
        try finish()
    }

    /// Prints the summary, and removes the files if nothing was wrong.
    private func finish() throws {
        terminal.clear()
        let seconds = (ContinuousClock.now - start) / .milliseconds(100)
        let parts = counts.map { "\($0.count) \($0.what)" } + ["\(failureCount) failures"]
        print("\(name): \(parts.joined(separator: ", ")) (seed \(seed), \(seconds.rounded() / 10) s)")
        if failureCount == 0 && !keepsFiles {
            try? FileManager.default.removeItem(atPath: directory)
        } else {
            terminal.report("\(name): the files are in \(directory)")
        }
        if failureCount > 0 { throw ExitCode.failure }
    }

    /// Ends a campaign that cannot run here.
    func skip(because reason: String) {
        try? FileManager.default.removeItem(atPath: directory)
        print("\(name): skipped, because \(reason)")
    }

    /// A path in the campaign's directory.
    func path(_ name: String) -> String { "\(directory)/\(name)" }
}
