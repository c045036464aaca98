// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation

/// Requests in a second that a Hummingbird server on one core answers, with the cache in front of its handler and without. See Benchmarks/README.md.
@main
enum MiddlewareBenchmarks {
    static func main() async {
        guard !isDebugBuild else { fail("Figures of a debug build mean nothing. Run it with -c release.") }
        do {
            let options = try Options(
                Array(CommandLine.arguments.dropFirst()),
                flags: ["--quick"],
                valued: ["--rounds", "--seconds", "--serve", "--case", "--requests"]
            )
            if let name = options.text("--serve") {
                guard let arrangement = Arrangement(rawValue: name) else { fail("--serve knows \(Arrangement.allNames), not \(name).") }
                return try await Server.run(arrangement)
            }
            print(Machine().description)
            let isQuick = options.contains("--quick")
            let rounds = try options.count("--rounds") ?? (isQuick ? 2 : 5)
            let seconds = try options.count("--seconds") ?? (isQuick ? 1 : 3)
            print(try table(rounds: rounds, seconds: seconds, only: options.text("--case")))
        } catch {
            fail(String(describing: error))
        }
    }

    private static func table(rounds: Int, seconds: Int, only: String?) throws -> String {
        let ways = Way.allCases.filter { only == nil || $0 == .handlerAlone || $0.rawValue == only }
        var rates = ways.map { _ in Sample() }
        var ratios = ways.map { _ in Sample() }
        for round in 0..<rounds {
            var baseline = 0.0
            for (number, way) in ways.enumerated() {
                let server = try ServerProcess(way.arrangement)
                defer { server.stop() }
                let load = LoadGenerator(port: server.port, way: way, round: round)
                // The first second warms up.
                _ = try load.rate(seconds: 1)
                let rate = try load.rate(seconds: seconds)
                if number == 0 { baseline = rate }
                rates[number].add(rate)
                ratios[number].add(rate / baseline)
            }
        }
        var table = Table(header: ["answers of 1 KiB by Hummingbird", "k/s", "min", "max", "to the handler", "min", "max"], leading: 1)
        for (number, way) in ways.enumerated() {
            let rate = [rates[number].median, rates[number].minimum, rates[number].maximum].map { decimal($0 / 1_000, digits: 1) }
            let ratio = [ratios[number].median, ratios[number].minimum, ratios[number].maximum].map { decimal($0, digits: 2) }
            table.add([way.rawValue] + rate + ratio)
        }
        return table.text
    }
}

/// How a server is put together.
enum Arrangement: String, CaseIterable {
    case bare
    /// The cache as a plain middleware.
    case middleware
    /// The cache around the whole responder.
    case responder

    static var allNames: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// The URL that a request asks for, and the server.
enum Way: String, CaseIterable {
    /// Comes first: the others are compared with it.
    case handlerAlone = "handler alone"
    case hit
    case noStore = "no-store"
    case storedMiss = "stored miss"
    case hitAround = "hit, around the responder"
    case noStoreAround = "no-store, around the responder"
    case storedMissAround = "stored miss, around the responder"

    var arrangement: Arrangement {
        switch self {
        case .handlerAlone: .bare
        case .hit, .noStore, .storedMiss: .middleware
        case .hitAround, .noStoreAround, .storedMissAround: .responder
        }
    }

    func path(_ round: Int, _ number: Int) -> String {
        switch self {
        case .handlerAlone, .hit, .hitAround: "/stored/0"
        case .noStore, .noStoreAround: "/no-store/\(number)"
        case .storedMiss, .storedMissAround: "/stored/\(round)-\(number)"
        }
    }
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(1)
}
