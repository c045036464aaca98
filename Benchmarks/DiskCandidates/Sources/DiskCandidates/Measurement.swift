// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Candidates
internal import Foundation
internal import Synchronization

/// One measurement: its settings, and figures by their names. Printed as a line of JSON.
struct Line {
    private var fields: [(String, String)] = []

    init(_ what: String, _ subject: String) {
        self["what"] = what
        self["subject"] = subject
    }

    subscript(name: String) -> String? {
        get { nil }
        set { if let newValue { fields.append((name, "\"\(newValue)\"")) } }
    }

    mutating func add(_ name: String, _ value: Double, digits: Int = 3) { fields.append((name, String(format: "%.\(digits)f", value))) }
    mutating func add(_ name: String, _ value: Int) { fields.append((name, "\(value)")) }

    func print() {
        Swift.print("{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}")
        fflush(nil)
    }
}

struct Measurement {
    let name: String
    let directory: String
    let payload: Int
    let maximumBytes: Int?
    let material: Material
    static let writers = 64

    init(_ name: String, directory: String, payload: Int, maximumBytes: Int? = nil) {
        self.name = name
        self.directory = directory
        self.payload = payload
        self.maximumBytes = maximumBytes
        material = Material(byteCount: payload)
    }

    func open() throws -> any Subject { try Subjects.open(name, .init(directory: directory, maximumBytes: maximumBytes)) }

    func line(_ what: String) -> Line {
        var line = Line(what, name)
        line.add("payload", payload)
        return line
    }

    /// Has 64 tasks write the records of a range of numbers, each waiting for its own. `number` maps a turn to a record.
    func write(_ turns: Range<Int>, to subject: any Subject, number: @escaping @Sendable (Int) -> Int = { $0 }) async throws -> LatencyHistogram {
        let next = Counter(turns.lowerBound)
        return try await withThrowingTaskGroup(of: LatencyHistogram.self) { group in
            for _ in 0..<Self.writers {
                group.addTask {
                    var latencies = LatencyHistogram()
                    while true {
                        let turn = next.value.wrappingAdd(1, ordering: .relaxed).oldValue
                        guard turn < turns.upperBound else { return latencies }
                        let record = number(turn)
                        let start = System.now()
                        try await subject.set(material.key(record), to: material.payload(record))
                        latencies.add(System.now() - start)
                    }
                }
            }
            var all = LatencyHistogram()
            for try await latencies in group { all.add(latencies) }
            return all
        }
    }

    final class Counter: Sendable {
        let value: Atomic<Int>
        init(_ value: Int) { self.value = Atomic(value) }
    }

    /// Reads records by one thread, in random order, and checks their length and first bytes.
    ///
    /// - Returns: Hits, and nanoseconds for each read.
    func read(_ count: Int, of range: Range<Int>, from subject: any Subject, seed: UInt64 = 1) throws -> (hits: Int, nanoseconds: Double) {
        var generator = SplitMix64(state: seed)
        let numbers = (0..<count).map { _ in Int.random(in: range, using: &generator) }
        let keys = numbers.map(material.key)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: payload + 64, alignment: 16)
        defer { buffer.deallocate() }
        var hits = 0
        let start = System.now()
        for (index, key) in keys.enumerated() {
            guard let length = try subject.read(key, into: buffer) else { continue }
            hits += 1
            let wanted = material.payload(numbers[index])
            guard length == payload, buffer[0] == wanted[0], buffer[length - 1] == wanted[length - 1] else {
                throw UsageError(description: "\(name) read something else than was written")
            }
        }
        return (hits, Double(System.now() - start) / Double(count))
    }
}

extension Line {
    mutating func add(_ latencies: LatencyHistogram) {
        add("p50 µs", latencies.microseconds(0.5), digits: 0)
        add("p99 µs", latencies.microseconds(0.99), digits: 0)
        add("p99.9 µs", latencies.microseconds(0.999), digits: 0)
        add("worst µs", Double(latencies.worst) / 1_000, digits: 0)
    }
}
