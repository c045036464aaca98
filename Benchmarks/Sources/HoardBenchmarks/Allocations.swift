// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// Hits and nothing else, for a tool that counts allocations around this program. Scripts/allocations compares two numbers of hits.
enum Allocations {
    static let cases = ["hoard-int-object", "hoard-int-int", "hoard-string-object", "nscache-int-int"]

    /// - Returns: The checksum of the values that were read.
    static func run(_ name: String, hits: Int) throws(Options.Mistake) -> Int {
        switch name {
        case "hoard-int-object": try read(HoardSubject<Int, Payload>.self, hits: hits)
        case "hoard-int-int": try read(HoardSubject<Int, Int>.self, hits: hits)
        case "hoard-string-object": try read(HoardSubject<String, Payload>.self, hits: hits)
        // Its wrapper allocates: the control that shows the count can be other than 0.
        case "nscache-int-int": try read(NSCacheSubject<Int, Int>.self, hits: hits)
        default: throw Options.Mistake("--case knows \(cases.joined(separator: ", ")), not \(name).")
        }
    }

    private static func read<S: Subject>(_ type: S.Type, hits: Int) throws(Options.Mistake) -> Int {
        let resident = 1_000
        // Room to spare, for a cache whose parts have limits of their own.
        let subject = S(capacity: 4 * resident)
        subject.fill(with: 0..<resident)
        let keys = (0..<resident).map { S.Key(number: $0) }
        var outcome = LoopOutcome()
        for _ in 0..<(hits / resident) {
            let part = getLoop(subject, keys)
            outcome.hits += part.hits
            outcome.checksum &+= part.checksum
        }
        guard outcome.hits == hits else {
            throw Options.Mistake("Only \(outcome.hits) of \(hits) reads were hits. The number of hits must be a multiple of \(resident).")
        }
        return outcome.checksum
    }
}
