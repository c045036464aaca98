// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardProcessTestSupport
import HoardRedisTestSupport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Another run of this tool, led by this one.
struct Worker {
    let process: ChildProcess

    init(_ arguments: [String]) throws {
        #if os(Linux)
            let program = "/proc/self/exe"
        #else
            let program = ProcessInfo.processInfo.arguments[0]
        #endif
        process = try ChildProcess(program, arguments)
    }

    /// Says something. A worker that has ended does not hear it.
    func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(process.input, bytes, bytes.count)
    }

    /// The next line that it has written; `nil` at the end. Blocks.
    func nextLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(process.output, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            guard count == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }
}

/// A directory for the files of a run, for its owner only.
func makeRunDirectory(_ name: String) throws -> String {
    let path = FileManager.default.temporaryDirectory.appending(path: "hoard-\(name)-\(UInt32.random(in: 0...UInt32.max))").path()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    return path
}

/// The middle, the 99th part of a hundred, and the largest of some numbers.
struct Percentiles: CustomStringConvertible {
    let p50: Double
    let p99: Double
    let maximum: Double
    let count: Int

    init(_ numbers: [Double]) {
        let sorted = numbers.sorted()
        func part(_ fraction: Double) -> Double { sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))] }
        p50 = part(0.5)
        p99 = part(0.99)
        maximum = sorted.last ?? 0
        count = sorted.count
    }

    var description: String { "p50 \(Self.text(p50)), p99 \(Self.text(p99)), max \(Self.text(maximum)) ms" }

    static func text(_ milliseconds: Double) -> String { "\((milliseconds * 1000).rounded() / 1000)" }
}
