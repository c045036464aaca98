// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HoardDisk

/// `hoard inspect compact`.
struct CompactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Give back to the file system what the cache does not need.",
        discussion: "Removes no record. Works in steps, so that a running server can write in between."
    )

    @OptionGroup var options: InspectCommand.Options

    private struct Report: Encodable {
        let bytesBefore: Int
        let bytesAfter: Int
    }

    func run() async throws {
        try await options.withStore { store in
            let result = try await store.compact()
            try report(Report(bytesBefore: result.byteCountBefore, bytesAfter: result.byteCountAfter), json: options.json) {
                "\(ByteCount(result.byteCountBefore)) on disk before, \(ByteCount(result.byteCountAfter)) after"
            }
        }
    }
}
