// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import Hoard
internal import HoardDisk

/// `hoard inspect rm`.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove records.",
        discussion: """
            A running proxy keeps what it has in memory; the record is gone from the disk at once.
            Exits with 1 if one of the keys was not there; the others are removed all the same.
            """
    )

    @OptionGroup var options: InspectCommand.Options

    @Argument(help: "URLs, with all their variants, or keys as `ls --json` prints them.")
    var keys: [String]

    private struct Report: Encodable {
        let key: String
        let removed: Int
    }

    func run() async throws {
        let hasMissed = try await options.withStore { store in
            var hasMissed = false
            for key in keys {
                let matches = try await RecordMatches(key, in: store)
                for match in matches.summaries { try await store.removeRecord(forKey: match.key) }
                let count = matches.summaries.count
                hasMissed = hasMissed || count == 0
                if options.json {
                    try printJSON(Report(key: key, removed: count))
                } else if count == 0 {
                    Terminal.say("hoard: \(printable(key)) is not in the cache.")
                } else {
                    print("removed \(count) \(count == 1 ? "record" : "records") of \(printable(key))")
                }
            }
            return hasMissed
        }
        if hasMissed { throw ExitCode.failure }
    }
}
