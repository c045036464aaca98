// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardSimulator

@Suite("OracleGeneralDecoder", .timeLimit(.minutes(5)))
struct OracleGeneralDecoderTests {
    let directory: TraceDirectory

    init() throws {
        directory = try TraceDirectory()
    }

    @Test(arguments: [1, 5, 23, 24, 25, 1 << 16])
    func recordsMayBeCutAnywhere(partByteCount: Int) throws {
        var generator = SeededGenerator(seed: 11)
        var expected: [AccessRequest] = []
        var bytes: [UInt8] = []
        for index in 0..<200 {
            let (time, key, size) = (
                UInt32(1_000 + index / 3), UInt64.random(in: 0...UInt64.max, using: &generator), UInt32.random(in: 0...UInt32.max, using: &generator)
            )
            bytes += record(time, key, size, next: index % 2 == 0 ? -1 : Int64(index))
            expected.append(AccessRequest(key: key, size: size == 0 ? nil : Int(size), time: UInt64(index / 3) * 1_000))
        }
        let (requests, _, format) = try requests(of: directory.write(bytes), partByteCount: partByteCount)
        #expect(requests == expected)
        #expect(format == .oracleGeneral)
    }

    @Test func anIncompleteRecordIsAnError() throws {
        let bytes = record(1, 2, 3) + record(1, 2, 3)
        for count in 25..<48 {
            let path = try directory.write(bytes.prefix(count))
            for partByteCount in [1, 7, 100] {
                let error = try #require(throws: AccessTraceError.self) { try requests(of: path, partByteCount: partByteCount) }
                #expect(error.code == .truncated)
                #expect(error.line == nil)
                #expect(error.message == "\(path), record 2: the record has \(count - 24) bytes instead of 24.")
            }
        }
    }

    @Test func aSizeOfNoBytesIsUnknown() throws {
        #expect(try requests(of: directory.write(record(1, 2, 0))).requests == [AccessRequest(key: 2, time: 0)])
    }

    private func record(_ time: UInt32, _ key: UInt64, _ size: UInt32, next: Int64 = 5) -> [UInt8] {
        func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        return bytes(time) + bytes(key) + bytes(size) + bytes(next)
    }
}
