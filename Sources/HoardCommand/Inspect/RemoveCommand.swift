// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Hoard
internal import HoardDisk

/// `hoard inspect rm`.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove records.",
        discussion: """
            The records are gone from the disk at once, for all processes. What a running server has in memory it drops only if it listens to the disk.
            Exits with 1 if one of the keys was not there; the others are removed all the same.
            """
    )

    @OptionGroup var options: InspectCommand.Options

    @Option(name: .long, help: "Remove every record that has this tag. May be given several times.")
    var tag: [String] = []

    @Flag(name: .long, help: "Remove the records whose time is up.")
    var expired = false

    @Argument(help: "URLs, with all their variants, or keys as `ls --json` prints them.")
    var keys: [String] = []

    private struct Report: Encodable {
        var key: String?
        var tag: String?
        var expired: Bool?
        var removed: Int
    }

    func validate() throws {
        if keys.isEmpty, tag.isEmpty, !expired { throw ValidationError("Say what to remove: keys, --tag or --expired.") }
    }

    func run() async throws {
        let hasMissed = try await options.withStore { store in
            var hasMissed = false
            for key in keys {
                let matches = try await RecordMatches(key, in: store)
                for match in matches.summaries { try await store.removeRecord(forKey: match.key) }
                let count = matches.summaries.count
                hasMissed = hasMissed || count == 0
                if count == 0, !options.json {
                    Terminal.say("hoard: \(printable(key)) is not in the cache.")
                } else {
                    try tell(Report(key: key, removed: count), "of \(printable(key))")
                }
            }
            for tag in tag {
                var filter = DiskStore.EntryFilter.all
                filter.tag = tag
                let count = try await store.entryCursor(matching: filter).count
                try await store.removeRecords(taggedWith: tag)
                try tell(Report(tag: tag, removed: count), "with the tag \(printable(tag))")
            }
            if expired { try tell(Report(expired: true, removed: try await store.removeExpiredRecords()), "that had expired") }
            return hasMissed
        }
        if hasMissed { throw ExitCode.failure }
    }

    private func tell(_ value: Report, _ which: String) throws {
        try report(value, json: options.json) { "removed \(recordCount(value.removed)) \(which)" }
    }
}
