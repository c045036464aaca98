// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// `ScreensServer [--port PORT]`
public struct ServerProgram: Sendable {
    static let usage = "Usage: ScreensServer [--port PORT]    serves the shop on 127.0.0.1; 8080 unless told otherwise, 0 for any port"

    let port: Int

    /// - Returns: `nil` if the arguments make no sense.
    init?(_ arguments: [String]) {
        switch arguments.count {
        case 0: port = 8_080
        case 2:
            guard arguments[0] == "--port", let port = Int(arguments[1]), (0...65_535).contains(port) else { return nil }
            self.port = port
        default: return nil
        }
    }

    /// Serves until the process is interrupted or asked to terminate.
    ///
    /// - Returns: The exit code.
    public static func run(_ arguments: [String]) async -> Int32 {
        let output = StandardOutput()
        guard let program = ServerProgram(arguments) else {
            output.print(usage)
            return 64
        }
        do {
            try await ShopServer(port: program.port).runUntilInterrupted { url in
                output.print("The shop is open at \(url). Browse it with: swift run ScreensClient \(url)")
            }
            return 0
        } catch {
            output.print("The shop cannot open: \(error)")
            return 1
        }
    }
}
