// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HoardSimulator

/// Access traces with known hit counts, which are not part of the package.
enum SharedTraces {
    static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/traces").path

    static var arePresent: Bool { FileManager.default.fileExists(atPath: directory + "/baselines.csv") }

    struct Baseline {
        let capacity: Int
        let requests: Int
        let hits: [SimulationPolicy: Int]
    }

    /// The table's lines of an access trace.
    static func baselines(of trace: String) throws -> [Baseline] {
        try String(contentsOfFile: directory + "/baselines.csv", encoding: .utf8).split(whereSeparator: \.isNewline).compactMap { line in
            let fields = line.split(separator: ",")
            guard fields[0] == trace else { return nil }
            let numbers = try fields[1...5].map { try #require(Int($0)) }
            return Baseline(capacity: numbers[0], requests: numbers[1], hits: [.lru: numbers[2], .fifo: numbers[3], .opt: numbers[4]])
        }
    }
}
