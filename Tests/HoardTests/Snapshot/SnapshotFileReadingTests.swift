// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTestSupport
import HoardTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct SnapshotFileReadingTests {
    private let fixture: SnapshotFixture

    init() throws { fixture = try SnapshotFixture() }

    /// The errors that a read may throw if the bytes are not a whole snapshot.
    private let codesOfDamage: Set<SnapshotError.Code?> = [.corrupt, .foreign, .newerFormat]

    @Test(arguments: [0, 1, 7, 8, 31, 32, 33, 4096, 1 << 20])
    func whatIsWrittenIsRead(byteCount: Int) throws {
        let payload = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 * 31 >> 3) }
        try fixture.write(payload)
        #expect(try fixture.read() == payload)
    }

    @Test(arguments: 0..<8)
    func eachFlippedBitIsFound(bit: Int) throws {
        try fixture.write(Array("forty-two bytes of payload, more or less.".utf8))
        let bytes = try fixture.bytes()
        for position in bytes.indices {
            var damaged = bytes
            damaged[position] ^= 1 << bit
            try fixture.plant(damaged)
            #expect(codesOfDamage.contains(fixture.readingCode()), "byte \(position)")
        }
        try fixture.plant(bytes)
        #expect(fixture.readingCode() == nil)
    }

    @Test func eachTruncationIsDamage() throws {
        try fixture.write([1, 2, 3, 4, 5])
        let bytes = try fixture.bytes()
        for length in bytes.indices {
            try fixture.plant(Array(bytes.prefix(length)))
            #expect(fixture.readingCode() == .corrupt, "\(length) bytes")
        }
    }

    @Test(arguments: [[0], [0, 0, 0, 0, 0, 0, 0, 0], [UInt8](repeating: 0xFF, count: 5000)] as [[UInt8]])
    func whatIsAddedAtTheEndIsDamage(garbage: [UInt8]) throws {
        try fixture.write([1, 2, 3])
        try fixture.plant(fixture.bytes() + garbage)
        #expect(fixture.readingCode() == .corrupt)
    }

    @Test func twoPayloadsCannotBeExchangedBetweenSchemas() throws {
        try fixture.write([1, 2, 3])
        let bytes = try fixture.bytes()
        try SnapshotFile.write([1, 2, 3], schema: "test/2", to: fixture.path)
        let others = try fixture.bytes()
        try fixture.plant(Array(bytes.prefix(30)) + others.dropFirst(30))
        #expect(fixture.readingCode() == .corrupt)
    }

    @Test func snapshotOfALaterVersionIsRefused() throws {
        try fixture.write([1, 2, 3])
        var bytes = try fixture.bytes()
        bytes[8] = 2
        try fixture.plant(bytes)
        #expect(fixture.readingCode() == .newerFormat)
    }

    @Test(arguments: ["", "test/", "test/2", "test/10", "TEST/1", "tést/1"])
    func snapshotOfAnotherSchemaIsRefused(schema: String) throws {
        try SnapshotFile.write([1, 2, 3], schema: schema, to: fixture.path)
        #expect(fixture.readingCode() == .wrongSchema)
        #expect(try SnapshotFile.read(path: fixture.path, schema: schema, maximumBytes: 3) == [1, 2, 3])
    }

    @Test func damageIsReportedBeforeTheWrongSchema() throws {
        try SnapshotFile.write([1, 2, 3], schema: "another", to: fixture.path)
        var bytes = try fixture.bytes()
        bytes[bytes.count - 1] ^= 1
        try fixture.plant(bytes)
        #expect(fixture.readingCode() == .corrupt)
    }

    @Test func payloadMayBeAsLongAsAllowedAndNotLonger() throws {
        try fixture.write([UInt8](repeating: 7, count: 100))
        #expect(fixture.readingCode(maximumBytes: 100) == nil)
        #expect(fixture.readingCode(maximumBytes: .max) == nil)
        for maximum in [99, 0, -1, .min] { #expect(fixture.readingCode(maximumBytes: maximum) == .tooLarge) }
        try fixture.write([])
        #expect(fixture.readingCode(maximumBytes: 0) == nil)
    }

    @Test(arguments: [0x7F, 0x40, 0x10, 0x01] as [UInt8])
    func lengthThatIsALieIsNotBelieved(highByte: UInt8) throws {
        try fixture.write([1, 2, 3])
        var bytes = try fixture.bytes()
        bytes[22] = highByte
        try fixture.plant(bytes)
        #expect(fixture.readingCode(maximumBytes: .max) == .corrupt)
    }

    @Test func fileThatIsLongAndEmptyIsNotReadIntoMemory() throws {
        try fixture.write([1, 2, 3])
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: fixture.path))
        // A file with a hole: 1 TiB that takes no room.
        try handle.truncate(atOffset: 1 << 40)
        try handle.close()
        #expect(fixture.readingCode() == .corrupt)
    }

    @Test func missingFileIsNotFound() {
        #expect(fixture.readingCode() == .notFound)
        let nowhere = fixture.directory.path(of: "nowhere/snapshot")
        #expect(
            fixture.error { () throws(SnapshotError) in _ = try SnapshotFile.read(path: nowhere, schema: "", maximumBytes: 1) }?.code == .notFound
        )
    }

    @Test func whatIsNoFileIsNotRead() throws {
        try fixture.directory.makeDirectory("snapshot")
        #expect(fixture.readingCode() == .notAFile)
        let device = fixture.error { () throws(SnapshotError) in _ = try SnapshotFile.read(path: "/dev/zero", schema: "", maximumBytes: 1) }
        #expect(device?.code == .notAFile)
    }

    @Test func pipeDoesNotKeepTheReaderWaiting() throws {
        #expect(mkfifo(fixture.path, 0o600) == 0)
        #expect(fixture.readingCode() == .notAFile)
    }

    @Test(arguments: [("", SnapshotError.Code.io), ("a\0b", .io), ("/", .notAFile), ("/tmp/", .notAFile), (".", .notAFile), ("..", .notAFile)])
    func pathsThatCannotNameAFileAreRefused(path: String, expected: SnapshotError.Code) {
        let thrown = fixture.error { () throws(SnapshotError) in _ = try SnapshotFile.read(path: path, schema: "", maximumBytes: 1) }
        #expect(thrown?.code == expected)
        #expect(fixture.writingError(to: path)?.code == expected)
    }

    @Test func failureOfTheSystemIsASentence() throws {
        try fixture.plant([1])
        let path = fixture.path + "/below"
        let thrown = fixture.error { () throws(SnapshotError) in _ = try SnapshotFile.read(path: path, schema: "", maximumBytes: 1) }
        #expect(thrown?.code == .io)
        #expect(thrown?.message == "Could not open the snapshot \(path): Not a directory.")
        #expect(thrown?.underlyingError as? SystemCallError == SystemCallError(ENOTDIR))
    }

    @Test func symbolicLinkIsFollowed() throws {
        try fixture.write([1, 2, 3], to: "target")
        try FileManager.default.createSymbolicLink(atPath: fixture.path, withDestinationPath: "target")
        #expect(try fixture.read() == [1, 2, 3])
    }

    @Test(arguments: 0..<10)
    func noBytesCrashTheReader(_: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        try fixture.write([UInt8](repeating: 9, count: 40))
        let valid = try fixture.bytes()
        for _ in 0..<100 {
            var bytes = valid
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                bytes = (0..<Int.random(in: 0..<100, using: &generator)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            case 1:
                let start = Int.random(in: 0..<24, using: &generator)
                for position in start..<24 { bytes[position] = UInt8.random(in: .min ... .max, using: &generator) }
            default:
                let cut = Int.random(in: bytes.indices, using: &generator)
                bytes = Array(bytes[cut...] + bytes[..<cut])
            }
            if bytes == valid { continue }
            try fixture.plant(bytes)
            #expect(codesOfDamage.contains(fixture.readingCode()), "seed \(seed)")
        }
    }
}
