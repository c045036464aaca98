// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Measures shapes of a disk store. See README.md.
@main
enum DiskCandidates {
    private static let help = """
        Usage: disk-candidates fill SUBJECT --directory PATH [--records N,N,…] [--payload BYTES] [--kill]
               disk-candidates open SUBJECT --directory PATH --records N [--payload BYTES] [--cold]
               disk-candidates cold SUBJECT --directory PATH --records N [--payload BYTES] [--count N]
               disk-candidates evict SUBJECT --directory PATH --limit BYTES [--payload BYTES]
               disk-candidates overwrite SUBJECT --directory PATH --limit BYTES [--share 0.9] [--turns 2] [--payload BYTES]
               disk-candidates read-through SUBJECT --directory PATH --limit BYTES [--count N] [--payload BYTES]

        Each prints lines of JSON. Subjects: \(Subjects.names.joined(separator: ", ")).
        """

    static func main() async {
        do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
            FileHandle.standardError.write(Data("disk-candidates: error: \(error)\n".utf8))
            exit(1)
        }
    }

    private static var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    private static func run(_ arguments: [String]) async throws {
        guard !isDebugBuild else { throw UsageError(description: "Figures of debug builds mean nothing. Build with -c release.") }
        guard arguments.count >= 2, arguments[0] != "--help" else { return print(help) }
        func option(_ name: String) -> String? {
            arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
        }
        func number(_ name: String) -> Int? { option(name).flatMap { Int($0) } }
        guard let directory = option("--directory") else { throw UsageError(description: "Say --directory.") }
        let measurement = Measurement(arguments[1], directory: directory, payload: number("--payload") ?? 512, maximumBytes: number("--limit"))
        let records = (option("--records") ?? "50000").split(separator: ",").compactMap { Int($0) }
        switch arguments[0] {
        case "fill": try await measurement.fill(marks: records, kills: arguments.contains("--kill"))
        case "open": try await measurement.reopen(records: records[0], isCold: arguments.contains("--cold"))
        case "cold": try await measurement.cold(records: records[0], count: number("--count") ?? 2_000)
        case "evict": try await measurement.evict()
        case "overwrite":
            try await measurement.overwrite(
                share: option("--share").flatMap { Double($0) } ?? 0.9,
                turns: option("--turns").flatMap { Double($0) } ?? 2
            )
        case "read-through": try await measurement.readThrough(turns: number("--count") ?? 1_000_000)
        default: print(help)
        }
    }
}
