// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HoardSimulator

@Suite("AccessTraceReader", .timeLimit(.minutes(5)))
struct AccessTraceReaderTests {
    let directory: TraceDirectory

    init() throws {
        directory = try TraceDirectory()
    }

    /// The error with which the reading of the file ends.
    private func error(_ path: String, partByteCount: Int = 1 << 16) throws -> AccessTraceError {
        try #require(throws: AccessTraceError.self) { try keys(of: path, partByteCount: partByteCount) }
    }

    @Test(arguments: [
        ("1\n2\n3\n", [1, 2, 3]),
        ("1\n2", [1, 2]),
        ("7 512\n8\t4096\n9  1 \n", [7, 8, 9]),
        ("1\r\n2 5\r\n3\r", [1, 2, 3]),
        ("\n\n  \n1\n\t\n\r\n2\n\n", [1, 2]),
        ("# a comment 1\n1\n#\n  # another\n2\n", [1, 2]),
        ("  5 6\n", [5]),
        ("007\n18446744073709551615\n0\n", [7, .max, 0]),
        ("1 9223372036854775807\n", [1]),
    ])
    func everyKindOfLineIsRead(text: String, expected: [UInt64]) throws {
        #expect(try keys(of: directory.write(text.utf8)) == expected)
        #expect(try keys(of: directory.writeGzip(text)) == expected)
    }

    @Test(arguments: [
        ("1\nx\n", 2, "“x”"), ("1\n2,3\n", 2, "“,”"), ("-1\n", 1, "“-”"), ("1 2 3\n", 1, "“3”"), ("1 a\n", 1, "“a”"),
        ("1\n\n# c\n\n1.5\n", 5, "“.”"), ("1\r2\n", 1, "“2”"), ("1 # why\n", 1, "“#”"), ("\u{FEFF}1\n", 1, "the byte 0xef"),
        ("1\n2\n18446744073709551616\n", 3, "larger than"), ("99999999999999999999999\n", 1, "larger than"),
        ("1\n1 9223372036854775808\n", 2, "the size is larger than"), ("1 99999999999999999999999999\n", 1, "the size is larger than"),
    ])
    func aMalformedLineIsNamed(text: String, line: Int, fault: String) throws {
        for path in [try directory.write(text.utf8), try directory.writeGzip(text)] {
            for partByteCount in [2, 1 << 16] {
                let error = try error(path, partByteCount: partByteCount)
                #expect(error.code == .malformedLine)
                #expect(error.line == line)
                #expect(error.message.hasPrefix("\(path), line \(line): "))
                #expect(error.message.contains(fault))
            }
        }
    }

    @Test(arguments: [1, 2, 3, 5, 7, 64, 1000])
    func linesMayBeCutAnywhere(partByteCount: Int) throws {
        let requests = randomRequests(count: 500, keyCount: 100_000, seed: 3)
        let text = requests.enumerated().map { $0 % 3 == 0 ? "\($1) \($0)\r\n" : "\($1)\n" }.joined()
        #expect(try keys(of: directory.write(text.utf8), partByteCount: partByteCount) == requests)
        #expect(try keys(of: directory.writeGzip(text), partByteCount: partByteCount) == requests)
    }

    @Test func sizesAreRead() throws {
        let requests = try requests(of: directory.write("1 10\n2\n3\t0 \r\n4 5".utf8)).requests
        #expect(requests == [AccessRequest(key: 1, size: 10), AccessRequest(key: 2), AccessRequest(key: 3, size: 0), AccessRequest(key: 4, size: 5)])
    }

    @Test(arguments: [1, 100, 1 << 16])
    func aLineOfMoreThanAMebibyteIsAnError(partByteCount: Int) throws {
        let line = String(repeating: "1", count: 1 << 20)
        let tooLong = try error(directory.write("1\n\(line)1\n".utf8), partByteCount: max(partByteCount, 100))
        #expect(tooLong.code == .malformedLine)
        #expect(tooLong.line == 2)
        #expect(tooLong.message.contains("longer than 1048576 bytes"))
        #expect(try keys(of: directory.write("1\n#\(line.dropFirst())\n2\n".utf8)) == [1, 2])
    }

    @Test func gzipIsKnownByItsContent() throws {
        #expect(try keys(of: directory.writeGzip("1\n2\n", to: "a.txt")) == [1, 2])
        #expect(try keys(of: directory.write("3\n4\n".utf8, to: "b.txt.gz")) == [3, 4])
    }

    @Test(arguments: [2, 1 << 16])
    func gzipMembersAreReadOneAfterTheOther(partByteCount: Int) throws {
        let path = try directory.writeGzip("1\n2", "3\n4\n", "", "5")
        #expect(try keys(of: path, partByteCount: partByteCount) == [1, 23, 4, 5])
        let padded = try Data(contentsOf: URL(fileURLWithPath: path)) + Data(count: 100)
        #expect(try keys(of: directory.write(padded), partByteCount: partByteCount) == [1, 23, 4, 5])
    }

    @Test(arguments: [2, 3, 11, 1 << 16])
    func truncatedGzipIsAnErrorWhereverItIsCut(partByteCount: Int) throws {
        let path = try directory.writeGzip((0..<50).map { "\($0)\n" }.joined())
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for length in stride(from: 2, to: whole.count, by: 7) + [whole.count - 1] {
            let error = try error(directory.write(whole.prefix(length)), partByteCount: partByteCount)
            #expect(error.code == .truncated, "cut at \(length): \(error)")
            #expect(error.message.contains("breaks off"))
        }
    }

    @Test func damagedGzipIsAnError() throws {
        let path = try directory.writeGzip((0..<2000).map { "\($0 * 7919)\n" }.joined())
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        // This byte is in the checksum, which comes before the length.
        bytes[bytes.count - 6] ^= 0xff
        let damaged = try directory.write(bytes)
        #expect(try error(damaged).code == .corrupt)
        #expect(try error(damaged).message.hasPrefix("\(damaged), line "))
        #expect(try error(directory.write(try Data(contentsOf: URL(fileURLWithPath: path)) + Data("garbage".utf8))).code == .corrupt)
    }

    @Test(arguments: ["", "\n", "# nothing\n", "  \r\n\r\n"])
    func aTraceWithoutRequestsIsAnError(text: String) throws {
        let path = try directory.write(text.utf8)
        #expect(try error(path).code == .empty)
        #expect(try error(path).message == "\(path): holds no requests.")
        #expect(try error(directory.writeGzip(text)).code == .empty)
    }

    @Test func aMissingFileAndADirectoryAreErrors() throws {
        let missing = try error(directory.path + "/missing")
        #expect(missing.code == .unreadable)
        #expect(missing.message.contains("/missing: cannot be read: No such file or directory."))
        #expect(try error(directory.path).code == .unreadable)
    }

    @Test func aReaderKnowsHowFarItIs() throws {
        let path = try directory.write("1\n22\n333\n".utf8)
        let reader = try AccessTraceReader(path: path)
        #expect(reader.byteCount == 9)
        var batch = [AccessRequest(key: 99)]
        #expect(try reader.readBatch(into: &batch))
        #expect(batch.map(\.key) == [1, 22, 333])
        #expect(reader.bytesRead == 9)
        #expect(try !reader.readBatch(into: &batch))
        #expect(batch.isEmpty)
        #expect(reader.requestCount == 3)
    }

    @Test(arguments: ["1 5\n22\n", "a - - [22/Nov/2026:02:13:31 +0000] \"GET / HTTP/1.1\" 200 5\n", "1,2,3\n"])
    func aPipeIsReadToItsEnd(text: String) throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try pipe.fileHandleForWriting.close()
        let reader = try AccessTraceReader(path: "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
        var batch: [AccessRequest] = []
        #expect(try reader.readBatch(into: &batch))
        #expect(reader.byteCount == nil)
        #expect(reader.bytesRead == text.utf8.count)
        #expect(try batch == requests(of: directory.write(text.utf8)).requests)
    }

    @Test(arguments: [
        ("web07.txt.gz", "web07"), ("/a/b.c/web07.gz", "web07"), ("x.txt", "x"), ("x.txt.txt", "x.txt"), ("plain", "plain"), ("-", "-"),
        (".gz", ".gz"),
        ("x.csv", "x.csv"), ("x.txt.zst", "x"), ("w92.oracleGeneral.zst", "w92.oracleGeneral"),
    ])
    func aTraceIsNamedAfterItsFile(path: String, name: String) {
        #expect(AccessTraceReader.name(ofPath: path) == name)
    }

    @Test func aTraceInMemoryNumbersItsKeys() throws {
        let trace = try AccessTrace(AccessTraceReader(path: directory.write("9\n5\n9\n\(UInt64.max)\n5\n".utf8)))
        #expect(trace.keys == [9, 5, .max])
        #expect(trace.requests == [0, 1, 0, 2, 1])
        #expect(trace.keyCount == 3)
        #expect(trace.requestCount == 5)
        #expect(trace.nextUses() == [2, 4, AccessTrace.never, AccessTrace.never, AccessTrace.never])
    }

    @Test func nextUsesAreThoseThatASearchFinds() {
        let requests = randomRequests(count: 400, keyCount: 30, seed: 5)
        let keys = Array(Set(requests))
        let trace = AccessTrace(name: "", keys: keys, requests: requests.map { UInt32(keys.firstIndex(of: $0) ?? 0) })
        #expect(trace.nextUses() == nextUses(of: requests))
    }
}
