// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import Hoard
internal import HoardDisk

/// `hoard inspect stats`.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "stats", abstract: "Say how much the cache holds.")

    @OptionGroup var options: InspectCommand.Options

    private struct Report: Encodable {
        let directory: String
        let records: Int
        let bytes: Int
        let fileBytes: Int
    }

    func run() async throws {
        try await options.withStore { store in
            let statistics = try await store.statistics()
            let report = Report(
                directory: options.directory.path,
                records: statistics.count,
                bytes: statistics.bytes,
                fileBytes: Self.bytesOfFiles(in: options.directory.path)
            )
            if options.json { return try printJSON(report) }
            print("directory  \(printable(report.directory))")
            print("records    \(report.records)")
            print("charged    \(ByteCount(report.bytes))")
            print("on disk    \(ByteCount(report.fileBytes))")
        }
    }

    /// The size of the files directly in a directory; those that vanish meanwhile do not count.
    static func bytesOfFiles(in directory: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: directory + "/" + name)
            return sum + ((attributes?[.size] as? Int) ?? 0)
        }
    }
}
