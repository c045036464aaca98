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
        discussion: "Lists those that meet all conditions given. With --json, each line is one record."
    )

    @OptionGroup var options: InspectCommand.Options
    @OptionGroup var filters: FilterOptions

    /// The property by which the list is sorted.
    enum Sorting: String, ExpressibleByArgument, CaseIterable {
        case size, age, use, expiry, key

        var order: DiskStore.EntryOrder {
            switch self {
            case .size: .largest
            case .age: .newest
            case .use: .mostRecentlyUsed
            case .expiry: .expiringSoonest
            case .key: .key
            }
        }
    }

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Sort by size (largest first), age (newest first), use (last used first), expiry (soonest first) or key.",
            valueName: "order"
        )
    )
    var sort = Sorting.use

    @Flag(name: .long, help: "Turn the order around.")
    var reverse = false

    @Option(name: .long, help: ArgumentHelp("List no more than this many.", valueName: "count"))
    var limit: Int?

    /// Records are read in pages, so that a large cache needs little memory and the first lines come at once.
    private static let pageSize = 512

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
    }

    func run() async throws {
        try await options.withStore { store in
            let order = reverse ? sort.order.reversed : sort.order
            let cursor = try await store.entryCursor(order: order, matching: filters.filter)
            var left = limit ?? .max
            do {
                if !options.json { try StandardOutput.write(text: "     SIZE    AGE   FRESH  KEY\n") }
                while left > 0 {
                    let page = try await cursor.next(min(Self.pageSize, left))
                    if page.isEmpty { break }
                    left -= page.count
                    let now = Date()
                    try StandardOutput.write(text: page.map { try line(RecordDescription($0), at: now) + "\n" }.joined())
                }
            } catch let error as OutputError where error.isBrokenPipe {
                // The reader has seen enough.
            }
        }
    }

    private func line(_ record: RecordDescription, at now: Date) throws -> String {
        if options.json { return try jsonLine(record) }
        let columns = [ByteCount(record.bytes).description, shortInterval(now.timeIntervalSince(record.created)), record.freshness(at: now)]
        let widths = [9, 6, 7]
        let padded = zip(columns, widths).map { String(repeating: " ", count: max(0, $1 - $0.count)) + $0 }
        return padded.joined(separator: " ") + "  " + printable(record.name)
    }
}

/// The options that choose the records for `ls`.
struct FilterOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The key, as --json prints it, begins with this.", valueName: "text"))
    var prefix: String?

    @Option(name: .long, help: ArgumentHelp("The key has this somewhere: a part of a URL, for example.", valueName: "text"))
    var contains: String?

    @Option(name: .long, help: "The record has this tag.")
    var tag: String?

    @Option(name: .long, help: ArgumentHelp("The content type of the record begins with this.", valueName: "type"))
    var type: String?

    @Option(name: .long, help: ArgumentHelp("The payload is no smaller.", valueName: "size"))
    var minSize: ByteCount?

    @Option(name: .long, help: ArgumentHelp("The payload is no larger.", valueName: "size"))
    var maxSize: ByteCount?

    @Option(name: .long, help: ArgumentHelp("The record is in this partition.", valueName: "name"))
    var partition: String?

    enum Freshness: String, EnumerableFlag {
        case fresh, stale, expired

        static func help(for value: Freshness) -> ArgumentHelp? {
            switch value {
            case .fresh: "Only records that are fresh."
            case .stale: "Only records that are no longer fresh, and are still kept."
            case .expired: "Only records whose time is up, and which are not yet removed."
            }
        }
    }

    @Flag(exclusivity: .exclusive)
    var freshness: Freshness?

    var filter: DiskStore.EntryFilter {
        var filter = DiskStore.EntryFilter.all
        filter.keyPrefix = Array((prefix ?? "").utf8)
        filter.keySubstring = Array((contains ?? "").utf8)
        filter.tag = tag
        filter.contentTypePrefix = type
        filter.minimumPayloadBytes = minSize?.bytes
        filter.maximumPayloadBytes = maxSize?.bytes
        filter.partition = partition
        filter.freshness = freshness.map { freshness in
            switch freshness {
            case .fresh: .fresh
            case .stale: .stale
            case .expired: .expired
            }
        }
        return filter
    }
}
