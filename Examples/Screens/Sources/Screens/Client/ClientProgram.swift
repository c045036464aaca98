// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// `ScreensClient [URL] [--cache DIRECTORY]`
public struct ClientProgram: Sendable {
    static let usage = """
        Usage: ScreensClient                            takes the tour, with a server of its own
               ScreensClient URL [--cache DIRECTORY]    browses the shop at URL, for example http://127.0.0.1:8080
        """

    private let url: String?
    private let directory: String?

    /// - Returns: `nil` if the arguments make no sense.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        var url: String?
        var directory: String?
        while let argument = rest.popFirst() {
            if argument == "--cache" {
                guard directory == nil, let path = rest.popFirst() else { return nil }
                directory = path
            } else {
                guard url == nil, argument.hasPrefix("http://") else { return nil }
                url = argument.hasSuffix("/") ? String(argument.dropLast()) : argument
            }
        }
        guard url != nil || directory == nil else { return nil }
        self.url = url
        self.directory = directory
    }

    /// Runs the program.
    ///
    /// - Returns: The exit code.
    public static func run(_ arguments: [String]) async -> Int32 {
        let output = StandardOutput()
        guard let program = ClientProgram(arguments) else {
            output.print(usage)
            return 64
        }
        do {
            try await program.run(output)
            return 0
        } catch {
            output.print("It does not work: \(error)")
            return 1
        }
    }

    private func run(_ output: StandardOutput) async throws {
        let temporary = FileManager.default.temporaryDirectory.path + "/screens-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: temporary) }
        guard let url else { return try await Tour.run(directory: temporary) { output.print($0) } }
        let browser = try Browser(url: url, directory: directory ?? temporary, clock: .running)
        var shell = Shell(browser: browser, prompt: { if StandardInput.isTerminal { output.print("> ", terminator: "") } }) { output.print($0) }
        await shell.run(StandardInput.lines())
        await browser.close()
    }
}
