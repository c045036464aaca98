// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation
@_spi(Client) internal import HoardRedis

/// One connection to Redis: how many GETs it does in a second, beside `redis-benchmark` in the same run.
@main
struct RedisBenchmarks {
    static func main() async {
        do {
            let options = try Options(
                Array(CommandLine.arguments.dropFirst()),
                flags: ["--smoke"],
                valued: ["--rounds", "--milliseconds", "--only"]
            )
            if isDebugBuild { print("Not optimised: these figures mean nothing. Use -c release.\n") }
            print(Machine().description + "\n")
            let isSmoke = options.contains("--smoke")
            let rows = Row.all.filter { row in options.text("--only").map { "\(row.name), \(row.byteCount) B".contains($0) } ?? true }
            let rounds = try options.count("--rounds") ?? (isSmoke ? 1 : 5)
            let server = try PrivateServer()
            defer { server.stop() }
            try await measure(rows, server, rounds: rounds, milliseconds: options.count("--milliseconds") ?? (isSmoke ? 50 : 700))
            if options.text("--only").map({ "store".contains($0) }) ?? true {
                print(try await TieredHits.table(port: server.port, reads: isSmoke ? 640 : 32_000, rounds: rounds))
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func measure(_ rows: [Row], _ server: PrivateServer, rounds: Int, milliseconds: Int) async throws {
        guard !rows.isEmpty else { return }
        let plain = try ClientSubject(port: server.port)
        let secure = try ClientSubject(port: server.securePort, certificatePath: server.certificatePath)
        var samples: [Row: Sample] = [:]
        for _ in 0..<rounds {
            for row in rows {
                try await plain.write(byteCount: row.byteCount)
                let rate =
                    switch row.subject {
                    case .reference(let pipeline):
                        try server.referenceRate(
                            pipeline: pipeline,
                            byteCount: row.byteCount,
                            requestCount: (pipeline == 1 ? 18 : row.byteCount == 256 ? 500 : 300) * milliseconds
                        )
                    case .client(let taskCount, let isEncrypted):
                        try await (isEncrypted ? secure : plain)
                            .rate(taskCount: taskCount, byteCount: row.byteCount, duration: .milliseconds(milliseconds))
                    case .taskOnExecutor:
                        try await withTaskExecutorPreference(plain.client.taskExecutor) {
                            try await plain.rate(taskCount: 1, byteCount: row.byteCount, duration: .milliseconds(milliseconds))
                        }
                    }
                samples[row, default: Sample()].add(rate)
            }
        }
        await plain.client.close()
        await secure.client.close()
        report(rows, samples)
    }

    private static func report(_ rows: [Row], _ samples: [Row: Sample]) {
        var table = Table(header: ["GET", "bytes", "k/s", "least", "most", "ratio", "wanted", "compared with"], leading: 1)
        for row in rows {
            guard let sample = samples[row] else { continue }
            var cells = [row.name, "\(row.byteCount)"] + [sample.median, sample.minimum, sample.maximum].map { decimal($0 / 1_000) }
            if let reference = row.reference, let other = samples[reference] {
                cells += [
                    decimal(sample.medianRatio(to: other), digits: 2), row.wantedRatio.map { "≥ " + decimal($0, digits: 2) } ?? "", reference.name,
                ]
            }
            table.add(cells)
        }
        print(table.text)
    }
}
