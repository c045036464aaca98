// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import Hoard
internal import HoardDisk
internal import HoardHTTP

/// `hoard inspect`: looks into a cache directory, also while a proxy uses it.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Look into a cache directory.",
        discussion: "Looking changes nothing: it is no use of a record. It is safe while a proxy or a client uses the directory.",
        subcommands: [ListCommand.self, ShowCommand.self, StatsCommand.self, RemoveCommand.self, ClearCommand.self]
    )

    /// What all subcommands take.
    struct Options: ParsableArguments {
        @OptionGroup var directory: CacheDirectory

        @Flag(name: .long, help: "Print JSON instead of text.")
        var json = false

        /// Runs `body` with the store, closes it, and turns its errors into messages.
        func withStore<Result>(_ body: (DiskStore) async throws -> Result) async throws -> Result {
            let store = try directory.openExistingStore { event in Terminal.say("hoard: \(event)") }
            do {
                let result = try await body(store)
                await store.close()
                return result
            } catch {
                await store.close()
                throw error
            }
        }
    }
}

/// A record as `ls` and `show` describe it, in words and as JSON.
struct RecordDescription: Encodable {
    /// The whole key, if it is text.
    let key: String
    /// For a response: whether the cache was private or shared.
    let scope: String?
    let url: String?
    /// For a response that was selected by request fields: those fields.
    let variant: String?
    let bytes: Int
    let created: Date
    let freshUntil: Date?
    let keptUntil: Date?
    let lastUsed: Date
    let tags: [String]
    let validator: String?
    let contentType: String?

    init(_ summary: DiskStore.EntrySummary) {
        let httpKey = HTTPCacheKey(recordKey: summary.key)
        self.key = summary.key.description
        self.scope = httpKey?.scope
        self.url = httpKey?.targetURI
        self.variant = httpKey?.variant.map { variant in
            variant.split(separator: "\n").dropFirst().joined(separator: ", ")
        }
        self.bytes = summary.payloadByteCount
        self.created = summary.created
        self.freshUntil = summary.freshUntil
        self.keptUntil = summary.staleUntil
        self.lastUsed = summary.lastAccess
        self.tags = summary.tags.sorted()
        self.validator = summary.validator
        self.contentType = summary.contentType
    }

    /// What a person calls the record: its URL and variant, or its key.
    var name: String {
        guard let url else { return key }
        return variant.map { "\(url)  (\($0))" } ?? url
    }

    /// The time left until the record is stale: `5m`, `stale`, or `always`.
    func freshness(at now: Date) -> String {
        guard let freshUntil else { return "always" }
        let seconds = freshUntil.timeIntervalSince(now)
        return seconds > 0 ? shortInterval(seconds) : "stale"
    }
}

/// A time span in its largest unit: `12s`, `5m`, `3h`, `8d`.
func shortInterval(_ seconds: TimeInterval) -> String {
    switch seconds {
    case ..<0: "0s"
    case ..<120: "\(Int(seconds))s"
    case ..<7_200: "\(Int(seconds / 60))m"
    case ..<172_800: "\(Int(seconds / 3600))h"
    case ..<1e11: "\(Int(seconds / 86_400))d"
    default: "for ever"
    }
}
