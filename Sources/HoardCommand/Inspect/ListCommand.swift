// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import HoardDisk

/// `hoard inspect ls`.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List the records, most recently used first.",
        discussion: "With --json, each line is one record."
    )

    @OptionGroup var options: InspectCommand.Options

    @Option(name: .long, help: "List no more than this many.")
    var limit: Int?

    /// Records are read in pages, so that a large cache needs little memory and the first lines come at once.
    private static let pageSize = 500

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
    }

    func run() async throws {
        try await options.withStore { store in
            if !options.json { print("   SIZE     AGE   FRESH  KEY") }
            var offset = 0
            while offset < limit ?? .max {
                let page = try await store.entries(limit: min(Self.pageSize, (limit ?? .max) - offset), offset: offset)
                for summary in page { try printLine(RecordDescription(summary)) }
                offset += page.count
                if page.count < Self.pageSize { break }
            }
        }
    }

    private func printLine(_ record: RecordDescription) throws {
        if options.json { return try printJSON(record) }
        let now = Date()
        let columns = [ByteCount(record.bytes).description, shortInterval(now.timeIntervalSince(record.created)), record.freshness(at: now)]
        let widths = [9, 6, 7]
        let padded = zip(columns, widths).map { String(repeating: " ", count: max(0, $1 - $0.count)) + $0 }
        print(padded.joined(separator: " ") + "  " + printable(record.name))
    }
}
