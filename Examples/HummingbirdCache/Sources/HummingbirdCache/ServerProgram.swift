// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// `HummingbirdCacheServer [tour] [--port PORT] [--certificate FILE --key FILE]`
public struct ServerProgram: Sendable {
    static let usage = """
        Usage: HummingbirdCacheServer [--port PORT] [--certificate FILE --key FILE]    serves the gazette on 127.0.0.1
               HummingbirdCacheServer tour                                             shows what the cache does
        """

    enum Action: Hashable, Sendable {
        case tour
        case serve(port: Int, GazetteServer.Certificate?)
    }

    let action: Action

    /// - Returns: `nil` if the arguments make no sense.
    init?(_ arguments: [String]) {
        if arguments == ["tour"] {
            action = .tour
            return
        }
        var options: [String: String] = [:]
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard ["--port", "--certificate", "--key"].contains(name), options[name] == nil, let value = rest.popFirst() else { return nil }
            options[name] = value
        }
        guard let port = Int(options["--port"] ?? "8080"), (0...65_535).contains(port) else { return nil }
        switch (options["--certificate"], options["--key"]) {
        case (nil, nil): action = .serve(port: port, nil)
        case (let chain?, let key?): action = .serve(port: port, .init(chain: chain, key: key))
        default: return nil
        }
    }

    /// - Returns: The exit code.
    public static func run(_ arguments: [String]) async -> Int32 {
        guard let program = ServerProgram(arguments) else {
            say(usage)
            return 64
        }
        do {
            switch program.action {
            case .tour:
                try await Tour.run { say($0) }
            case .serve(let port, let certificate):
                let scheme = certificate == nil ? "http" : "https"
                try await GazetteServer(port: port, certificate: certificate).runUntilInterrupted { port in
                    say("The gazette is at \(scheme)://127.0.0.1:\(port)/")
                }
            }
            return 0
        } catch {
            say("The gazette cannot appear: \(error)")
            return 1
        }
    }

    private static func say(_ line: String) {
        print(line)
        // `nil`: all streams. The stream of the output is a global variable in C, which Swift code may not use.
        fflush(nil)
    }
}
