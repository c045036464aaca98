// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Hoard
internal import HoardDisk

/// `hoard inspect clear`.
struct ClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "clear", abstract: "Remove all records.")

    @OptionGroup var options: InspectCommand.Options

    private struct Report: Encodable { let removed: Int }

    func run() async throws {
        try await options.withStore { store in
            let count = try await store.statistics().count
            try await store.removeAll()
            try report(Report(removed: count), json: options.json) { "removed \(recordCount(count))" }
        }
    }
}
