// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import HTTPTypes
internal import Hoard
internal import HoardDisk
internal import HoardHTTP
internal import NIOCore

/// `hoard inspect show`.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show what is known of a record: its dates, its size, and the stored response's status and fields.",
        discussion: "With --raw, prints the body instead. Exits with 1 if the record is not there."
    )

    @OptionGroup var options: InspectCommand.Options

    @Flag(name: .long, help: "Print the stored body, or the payload of a record that is not a response, to standard output.")
    var raw = false

    @Argument(help: "A URL, or a key as `ls --json` prints it.")
    var key: String

    private struct Report: Encodable {
        let record: RecordDescription
        let status: Int?
        let fields: [[String]]?
        let bodyBytes: Int?
    }

    func validate() throws {
        if raw, options.json { throw ValidationError("--raw and --json exclude each other.") }
    }

    func run() async throws {
        try await options.withStore { store in
            let matches = try await RecordMatches(key, in: store)
            var shown = 0
            for summary in matches.summaries {
                guard let record = try await store.peekRecord(forKey: summary.key) else { continue }
                try show(record, RecordDescription(summary), isFirst: shown == 0)
                shown += 1
                if raw { break }
            }
            guard shown > 0 else {
                Terminal.say("hoard: \(printable(key)) is not in the cache.")
                throw ExitCode.failure
            }
        }
    }

    private func show(_ record: Record, _ description: RecordDescription, isFirst: Bool) throws {
        let response: StoredResponse? =
            if case .response(let response)? = try? Codec<HTTPCacheEntry>.httpCacheEntry.decode(record.payload) { response } else { nil }
        if raw {
            return FileHandle.standardOutput.write(response.map { Data($0.body.readableBytesView) } ?? record.payload)
        }
        if options.json {
            return try printJSON(
                Report(
                    record: description,
                    status: response?.head.status.code,
                    fields: response?.head.headerFields.map { [$0.name.rawName, $0.value] },
                    bodyBytes: response?.body.readableBytes
                )
            )
        }
        if !isFirst { print() }
        let now = Date()
        print("key          \(printable(description.name))")
        if let scope = description.scope { print("cache        \(printable(scope))") }
        print("size         \(ByteCount(description.bytes))")
        print("created      \(description.created.formatted(.iso8601)) (\(shortInterval(now.timeIntervalSince(description.created))) ago)")
        print("fresh until  \(description.freshUntil?.formatted(.iso8601) ?? "for ever") (\(description.freshness(at: now)))")
        print("kept until   \(description.keptUntil?.formatted(.iso8601) ?? "evicted")")
        print("last used    \(description.lastUsed.formatted(.iso8601))")
        if let validator = description.validator { print("validator    \(printable(validator))") }
        if !description.tags.isEmpty { print("tags         \(printable(description.tags.joined(separator: ", ")))") }
        guard let response else { return }
        print("\n\(response.head.status.code) \(printable(response.head.status.reasonPhrase))")
        for field in response.head.headerFields { print("\(field.name.rawName): \(printable(field.value))") }
        print("\n(\(ByteCount(response.body.readableBytes)) of body; --raw prints it)")
    }
}
