// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Segments
import Testing

/// Kills a process that writes, at random moments. Nothing that was acknowledged may be lost, and nothing that was replaced or removed may come back.
@Suite struct KillTests {
    private let worker: URL =
        Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }.map { $0.appendingPathComponent("SegmentsWorker") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("SegmentsWorker")

    /// Runs a worker until it has written so much, and kills it.
    private func run(_ directory: TemporaryDirectory, seed: UInt64, keys: Int, maximumBytes: Int?, until byteCount: Int) throws -> String {
        let process = Process()
        process.executableURL = worker
        process.arguments = [directory.path, "\(seed)", "\(keys)", "\(64 << 10)"] + (maximumBytes.map { ["\($0)"] } ?? [])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var text = Data()
        while text.count < byteCount {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { break }
            text += part
        }
        kill(process.processIdentifier, SIGKILL)
        text += output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal, "the worker ended by itself")
        return String(decoding: text, as: UTF8.self)
    }

    @Test(arguments: [nil, 4 << 20]) func nothingIsLostByKills(maximumBytes: Int?) throws {
        let kills = campaignSize("SEGMENTS_KILLS", 12)
        let start = UInt64(campaignSize("SEGMENTS_SEED", 1))
        var generator = Generator(seed: start)
        var directory = try TemporaryDirectory()
        var model = Model()
        model.mayForget = maximumBytes != nil
        for kill in 0..<kills {
            if kill % 25 == 0 {
                directory = try TemporaryDirectory()
                model = Model()
                model.mayForget = maximumBytes != nil
            }
            let seed = start + UInt64(kill)
            let output = try run(
                directory,
                seed: seed,
                keys: 4_000,
                maximumBytes: maximumBytes,
                until: Int.random(in: 1_000..<200_000, using: &generator)
            )
            model.add(output)
            // Each second time, the next worker opens the files that the kill has left.
            guard kill % 2 == 1 else { continue }
            let store = try SegmentStore(.init(directory: directory.path, maximumBytes: maximumBytes, segmentBytes: 64 << 10))
            if kill % 4 == 1 { store.waitUntilComplete() }
            let violation = try model.violation(store)
            #expect(violation == nil, "seed \(seed)")
            #expect(store.statistics.damaged == 0)
            if let maximumBytes { #expect(store.statistics.fileBytes <= maximumBytes) }
            try store.close()
            if violation != nil { return }
        }
    }

    /// Damages one file of a store whose process was killed: cuts it, changes bytes, clears a page, or deletes
    /// it. A read finds the latest version or nothing.
    @Test func damageNeverBringsWrongOrOldRecords() throws {
        let count = UInt64(campaignSize("SEGMENTS_DAMAGES", 20))
        let start = UInt64(campaignSize("SEGMENTS_SEED", 1))
        for seed in start..<start + count {
            var generator = Generator(seed: seed)
            let directory = try TemporaryDirectory()
            var model = Model()
            model.add(try run(directory, seed: seed, keys: 1_500, maximumBytes: nil, until: Int.random(in: 5_000..<150_000, using: &generator)))
            if seed % 3 == 0 {
                let store = try SegmentStore(.init(directory: directory.path, segmentBytes: 64 << 10))
                try store.close()
            }
            model.mayForget = true
            let file = directory.files[Int.random(in: 0..<directory.files.count, using: &generator)]
            let kind = Int.random(in: 0..<5, using: &generator)
            try damage(directory, file, kind, &generator)
            let store = try SegmentStore(.init(directory: directory.path, segmentBytes: 64 << 10))
            if seed % 2 == 0 { store.waitUntilComplete() }
            let violation = try model.violation(store)
            #expect(violation == nil, "seed \(seed), kind \(kind), file \(file) of \(directory.files)")
            store.waitUntilComplete()
            #expect(try model.violation(store) == nil, "seed \(seed), later")
            try store.set(1, 77)
            #expect(try store.version(1) == 77)
            try store.close()
        }
    }

    private func damage(_ directory: TemporaryDirectory, _ file: String, _ kind: Int, _ generator: inout Generator) throws {
        if kind == 0 {
            try FileManager.default.removeItem(atPath: "\(directory.path)/\(file)")
            return
        }
        let place = Int.random(in: 0..<max(directory.byteCount(file), 1), using: &generator)
        let bits = UInt8.random(in: 1...255, using: &generator)
        try directory.change(file) { data in
            guard !data.isEmpty else { return }
            switch kind {
            case 1: data = data.prefix(place)
            case 2: data[place] ^= bits
            case 3: data.replaceSubrange(place..<min(place + 4096, data.count), with: repeatElement(0, count: min(4096, data.count - place)))
            default: data += (0..<500).map { UInt8(truncatingIfNeeded: $0 &* Int(bits)) }
            }
        }
    }
}
