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
        discussion: "With --raw, prints the body instead. Of several variants that is the one last used. Exits with 1 if the record is not there."
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
            if raw {
                // Several variants: the one last used.
                guard let first = matches.summaries.first, try await RecordBody(first).write(from: store) else { try fail() }
                return
            }
            if matches.summaries.isEmpty { try fail() }
            for (number, summary) in matches.summaries.enumerated() {
                try await show(RecordDescription(summary), RecordBody(summary).response(in: store), isFirst: number == 0)
            }
        }
    }

    private func fail() throws -> Never {
        Terminal.say("hoard: \(printable(key)) is not in the cache.")
        throw ExitCode.failure
    }

    private func show(_ record: RecordDescription, _ response: StoredResponse?, isFirst: Bool) throws {
        let fields = response?.head.headerFields.map { [$0.name.rawName, $0.value] }
        let value = Report(record: record, status: response?.head.status.code, fields: fields, bodyBytes: response?.body.storedByteCount)
        try report(value, json: options.json) { (isFirst ? "" : "\n") + text(record, response) }
    }

    private func text(_ record: RecordDescription, _ response: StoredResponse?) -> String {
        let now = Date()
        var lines: [(String, String)] = [("key", record.name)]
        if let scope = record.scope { lines.append(("cache", scope)) }
        lines.append(("size", "\(ByteCount(record.bytes))"))
        lines.append(("stored", Self.storage(of: record)))
        lines.append(("created", "\(record.created.formatted(.iso8601)) (\(shortInterval(now.timeIntervalSince(record.created))) ago)"))
        lines.append(("fresh until", "\(record.freshUntil?.formatted(.iso8601) ?? "for ever") (\(record.freshness(at: now)))"))
        lines.append(("kept until", record.keptUntil?.formatted(.iso8601) ?? "evicted"))
        if record.negative { lines.append(("negative", "its source has no value")) }
        if let window = record.staleWhileRevalidate { lines.append(("revalidate", "stale for \(shortInterval(window)) while a new value is loaded")) }
        if let window = record.staleIfError { lines.append(("if error", "stale for \(shortInterval(window)) if no new value can be loaded")) }
        if let duration = record.loadDuration { lines.append(("loaded in", "\(duration.formatted(.number.precision(.fractionLength(0...3)))) s")) }
        lines.append(("last used", record.lastUsed.formatted(.iso8601)))
        if let validator = record.validator { lines.append(("validator", validator)) }
        if let contentType = record.contentType { lines.append(("type", contentType)) }
        if let partition = record.partition { lines.append(("partition", partition)) }
        if !record.tags.isEmpty { lines.append(("tags", record.tags.joined(separator: ", "))) }
        var text = lines.map { $0 + String(repeating: " ", count: 13 - $0.count) + printable($1) }
        guard let response else { return text.joined(separator: "\n") }
        text.append("\n\(response.head.status.code) \(printable(response.head.status.reasonPhrase))")
        for field in response.head.headerFields { text.append("\(field.name.rawName): \(printable(field.value))") }
        text.append("\n(\(ByteCount(response.body.storedByteCount)) of body; --raw prints it)")
        return text.joined(separator: "\n")
    }

    private static func storage(of record: RecordDescription) -> String {
        "\(ByteCount(record.storedBytes)) \(record.inFile ? "in a file" : "in the database")\(record.compressed ? ", compressed" : "")"
    }
}
