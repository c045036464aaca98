// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Hoard

@Suite struct SnapshotHeaderTests {
    private func code(_ bytes: [UInt8]) -> SnapshotError.Code? {
        do throws(SnapshotError) {
            _ = try SnapshotHeader(decoding: bytes, path: "/a")
            return nil
        } catch {
            return error.code
        }
    }

    @Test func layoutIsAsDocumented() {
        let bytes = SnapshotHeader.encoded(schema: "ab", payloadByteCount: 0x0102_0304)
        #expect(bytes == [0x89] + Array("Hoard\r\n".utf8) + [1, 0, 0, 0, 2, 0, 0, 0, 4, 3, 2, 1, 0, 0, 0, 0] + Array("ab".utf8))
    }

    @Test(arguments: [("", 0), ("a", 1), ("café/2", 1 << 40), (String(repeating: "s", count: 1024), Int.max)])
    func whatIsEncodedIsDecoded(schema: String, count: Int) throws {
        let header = try SnapshotHeader(decoding: SnapshotHeader.encoded(schema: schema, payloadByteCount: count), path: "/a")
        #expect(header.schemaByteCount == schema.utf8.count)
        #expect(header.payloadByteCount == count)
    }

    @Test func lengthOfTheFileIsTheSumOfItsParts() throws {
        var header = try SnapshotHeader(decoding: SnapshotHeader.encoded(schema: "abc", payloadByteCount: 10), path: "/a")
        #expect(header.fileByteCount == 24 + 3 + 10 + 8)
        header.payloadByteCount = .max
        #expect(header.fileByteCount == nil)
    }

    @Test func beginningOfAHeaderIsDamagedAndNotForeign() {
        let bytes = SnapshotHeader.encoded(schema: "", payloadByteCount: 0)
        for length in 0..<SnapshotHeader.fixedByteCount {
            #expect(code(Array(bytes.prefix(length))) == .corrupt, "\(length) bytes")
        }
        #expect(code(bytes) == nil)
    }

    @Test(arguments: ["H", "SQLite format 3", "#!/bin/sh\necho a file of somebody else", "hoard snapshot, 24 bytes"])
    func textOfSomebodyElseIsForeign(text: String) {
        #expect(code(Array(text.utf8)) == .foreign)
    }

    @Test(arguments: [(0 as UInt8, SnapshotError.Code.corrupt as SnapshotError.Code?), (1, nil), (2, .newerFormat), (255, .newerFormat)])
    func onlyKnownVersionsAreDecoded(version: UInt8, expected: SnapshotError.Code?) {
        var bytes = SnapshotHeader.encoded(schema: "", payloadByteCount: 0)
        bytes[8] = version
        #expect(code(bytes) == expected)
    }

    @Test func lengthsBeyondReasonAreDamage() {
        var bytes = SnapshotHeader.encoded(schema: "", payloadByteCount: 0)
        bytes[23] = 0x80
        #expect(code(bytes) == .corrupt, "a payload longer than Int.max")
        bytes[23] = 0
        bytes[13] = 4
        #expect(code(bytes) == nil, "a schema of 1,024 bytes")
        bytes[12] = 1
        #expect(code(bytes) == .corrupt, "a schema of 1,025 bytes")
    }

    @Test func schemaThatIsTooLongIsAnErrorOfTheProgram() async {
        await #expect(processExitsWith: .failure) {
            _ = SnapshotHeader.encoded(schema: String(repeating: "s", count: 1025), payloadByteCount: 0)
        }
    }
}
