// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HoardDisk

/// `hoard inspect`: looks into a cache directory, also while a proxy uses it.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Look into a cache directory.",
        discussion: "Looking changes nothing: it is no use of a record. All of it is safe while a proxy or a client uses the directory.",
        subcommands: [
            ListCommand.self, ShowCommand.self, StatsCommand.self, VerifyCommand.self, RemoveCommand.self, ClearCommand.self, CompactCommand.self,
        ]
    )

    /// The options that all subcommands take.
    struct Options: ParsableArguments {
        @OptionGroup var directory: CacheDirectory
        @OptionGroup var key: KeyOptions

        @Flag(name: .long, help: "Print JSON instead of text.")
        var json = false

        /// Runs `body` with the store, closes it, and turns its errors into messages.
        func withStore<Result>(_ body: (DiskStore) async throws -> Result) async throws -> Result {
            StandardOutput.outliveReader()
            let store = try directory.openExistingStore(encryptionKey: key.encryptionKey()) { event in Terminal.say("hoard: \(event)") }
            do {
                let result = try await body(store)
                await store.close()
                return result
            } catch {
                await store.close()
                if let error = error as? OutputError, error.isBrokenPipe { throw ExitCode.failure }
                throw error
            }
        }
    }
}

/// Prints a command's report: a line of JSON, or text.
func report(_ value: some Encodable, json: Bool, text: () -> String) throws {
    try StandardOutput.write(text: (json ? try jsonLine(value) : text()) + "\n")
}

/// "1 record", "2 records".
func recordCount(_ count: Int) -> String { "\(count) \(count == 1 ? "record" : "records")" }
