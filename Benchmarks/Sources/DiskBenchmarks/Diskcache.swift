// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation

/// python-diskcache, run by Scripts/diskcache-baseline in a process of its own.
enum Diskcache {
    private struct Answer: Decodable {
        /// The time of one operation, for each round.
        let microseconds: [Double]
    }

    /// - Throws: ``NotAvailable`` if the script failed, which says why on standard error.
    static func measure(_ workspace: Workspace, _ material: Material, operations: Int, rounds: Int) throws -> [Timing] {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let child = Process()
        let output = Pipe()
        child.executableURL = package.appendingPathComponent("Scripts/diskcache-baseline")
        child.arguments = [
            "--directory", try workspace.makeDirectory(), "--keys", "\(material.keys.count)", "--bytes", "\(material.byteCount)",
            "--operations", "\(operations)", "--rounds", "\(rounds)",
        ]
        child.standardOutput = output
        do { try child.run() } catch { throw NotAvailable(description: "Scripts/diskcache-baseline cannot be run: \(error)") }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        child.waitUntilExit()
        guard child.terminationStatus == 0, let answer = try? JSONDecoder().decode(Answer.self, from: text),
            answer.microseconds.count == rounds
        else { throw NotAvailable(description: "python-diskcache is not available; Scripts/diskcache-baseline failed.") }
        return answer.microseconds.map {
            Timing(nanoseconds: Int64($0 * 1_000 * Double(operations)), operations: operations)
        }
    }
}
