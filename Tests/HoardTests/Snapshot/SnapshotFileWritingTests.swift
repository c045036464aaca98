// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct SnapshotFileWritingTests {
    private let fixture: SnapshotFixture
    private var directory: TemporaryDirectory { fixture.directory }

    init() throws { fixture = try SnapshotFixture() }

    @Test func fileIsLaidOutAsDocumented() throws {
        try fixture.write([0xAA, 0xBB])
        let header = SnapshotHeader.encoded(schema: "test/1", payloadByteCount: 2)
        let seed = header.withUnsafeBytes { XXH64.hash($0) }
        let checksum = ([0xAA, 0xBB] as [UInt8]).withUnsafeBytes { XXH64.hash($0, seed: seed) }
        #expect(try fixture.bytes() == header + [0xAA, 0xBB] + (0..<8).map { UInt8(truncatingIfNeeded: checksum >> ($0 * 8)) })
    }

    @Test func newSnapshotTakesThePlaceOfTheOld() throws {
        try fixture.write([UInt8](repeating: 1, count: 1000))
        try fixture.write([2])
        #expect(try fixture.read() == [2])
        #expect(try directory.names() == ["snapshot"])
    }

    @Test func fileBelongsToItsOwnerAlone() throws {
        try fixture.write([1])
        #expect(try directory.mode(of: "snapshot") == 0o600)
    }

    @Test func maskOfTheProcessTakesNothingFromTheOwner() async {
        // This needs its own process, because the mask holds for all files that a process creates.
        await #expect(processExitsWith: .success) {
            let fixture = try SnapshotFixture()
            umask(0o777)
            try fixture.write([1])
            #expect(try fixture.directory.mode(of: "snapshot") == 0o600)
        }
    }

    @Test func modeOfTheOldFileIsNotKept() throws {
        try fixture.plant([1])
        #expect(chmod(fixture.path, 0o644) == 0)
        try fixture.write([1])
        #expect(try directory.mode(of: "snapshot") == 0o600)
    }

    @Test func damagedFileIsReplaced() throws {
        try fixture.plant(Array("not a snapshot".utf8))
        try fixture.write([1])
        #expect(try fixture.read() == [1])
    }

    @Test func whoHasTheOldFileOpenKeepsItWhole() throws {
        try fixture.write([1])
        let old = try fixture.bytes()
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: fixture.path))
        try fixture.write([2])
        #expect(try handle.readToEnd().map { [UInt8]($0) } == old)
    }

    @Test func symbolicLinkIsReplacedAndItsTargetLeftAlone() throws {
        try directory.write("precious", to: "target")
        try FileManager.default.createSymbolicLink(atPath: fixture.path, withDestinationPath: "target")
        try fixture.write([1])
        #expect(try fixture.read() == [1])
        #expect(try directory.bytes(of: "target") == Array("precious".utf8))
        #expect(try FileDescriptor.directory(directory.path).kind(ofEntry: "snapshot") == .file)
    }

    @Test func linkToADirectoryIsReplacedToo() throws {
        try directory.makeDirectory("target")
        try FileManager.default.createSymbolicLink(atPath: fixture.path, withDestinationPath: "target")
        try fixture.write([1])
        #expect(try fixture.read() == [1])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path(of: "target")).isEmpty)
    }

    @Test func directoryIsNotReplaced() throws {
        try directory.makeDirectory("snapshot/inner")
        let thrown = fixture.writingError(to: fixture.path)
        #expect(thrown?.code == .notAFile)
        #expect(thrown?.message == "The snapshot cannot be written to \(fixture.path), because that is not a file.")
        #expect(try directory.names() == ["snapshot"])
    }

    @Test func pipeIsNotReplaced() throws {
        #expect(mkfifo(fixture.path, 0o600) == 0)
        #expect(fixture.writingError(to: fixture.path)?.code == .notAFile)
        #expect(try directory.names() == ["snapshot"])
    }

    @Test func directoryThatIsMissingIsNotCreated() throws {
        let path = directory.path(of: "nowhere/snapshot")
        let thrown = fixture.writingError(to: path)
        #expect(thrown?.code == .io)
        #expect(thrown?.message.hasPrefix("Could not open the directory \(directory.path(of: "nowhere")): No such file or directory") == true)
        #expect(try directory.names().isEmpty)
    }

    @Test func nameThatIsTooLongIsASentenceAndLeavesNothing() throws {
        let thrown = fixture.writingError(to: directory.path(of: String(repeating: "n", count: 256)))
        #expect(thrown?.code == .io)
        #expect(thrown?.message.hasSuffix("File name too long.") == true)
        #expect(try directory.names().isEmpty)
    }

    @Test func longestNameThatASystemAllowsIsWritten() throws {
        let name = String(repeating: "n", count: 255)
        try fixture.write([1], to: name)
        #expect(try directory.names() == [name])
    }

    @Test(.enabled(if: geteuid() != 0, "The superuser may write everywhere.")) func directoryThatMayNotBeWrittenIsASentence() throws {
        try fixture.write([1])
        #expect(chmod(directory.path, 0o500) == 0)
        let thrown = fixture.writingError(to: fixture.path)
        #expect(chmod(directory.path, 0o700) == 0)
        #expect(thrown?.code == .io)
        #expect(try fixture.read() == [1])
        #expect(try directory.names() == ["snapshot"])
    }

    @Test func failureWhileWritingLeavesTheOldFileAndNoOther() throws {
        try fixture.write([1])
        let parent = try FileDescriptor.directory(directory.path)
        let thrown = systemError { () throws(SystemCallError) in
            try SnapshotFile.replaceFile("snapshot", in: parent) { file throws(SystemCallError) in
                try file.write([2, 3, 4])
                throw SystemCallError(ENOSPC)
            }
        }
        #expect(thrown == SystemCallError(ENOSPC))
        #expect(try fixture.read() == [1])
        #expect(try directory.names() == ["snapshot"])
    }

    #if canImport(Glibc)
        @Test func systemThatTakesOnlyAPartOfTheBytesLeavesTheOldFileAndNoOther() async {
            // This needs its own process, because the limit holds for all files that a process writes.
            await #expect(processExitsWith: .success) {
                let fixture = try SnapshotFixture()
                try fixture.write([1])
                _ = signal(SIGXFSZ, SIG_IGN)
                var limit = rlimit(rlim_cur: 5000, rlim_max: 5000)
                try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
                let thrown = fixture.error { () throws(SnapshotError) in try fixture.write([UInt8](repeating: 2, count: 1 << 20)) }
                #expect(thrown?.code == .io)
                #expect(thrown?.underlyingError as? SystemCallError == SystemCallError(EFBIG))
                #expect(try fixture.read() == [1])
                #expect(try fixture.directory.names() == ["snapshot"])
            }
        }
    #endif

    @Test func failureToRenameLeavesNoOtherFile() throws {
        let parent = try FileDescriptor.directory(directory.path)
        let thrown = systemError { () throws(SystemCallError) in
            try SnapshotFile.replaceFile("snapshot", in: parent) { file throws(SystemCallError) in
                try file.write([1])
                // Another process takes the name meanwhile.
                guard mkdir(fixture.path, 0o700) == 0 else { throw .last }
            }
        }
        #expect(thrown == SystemCallError(EISDIR))
        #expect(try directory.names() == ["snapshot"])
    }

    @Test func fileHasItsNameOnlyWhenItIsWhole() throws {
        let parent = try FileDescriptor.directory(directory.path)
        let names = Shared<[String]>([])
        try SnapshotFile.replaceFile("snapshot", in: parent) { file throws(SystemCallError) in
            try file.write([1])
            names.update { [directory] in $0 = (try? directory.names()) ?? [] }
        }
        let temporary = try #require(names.value.first)
        #expect(names.value.count == 1)
        #expect(temporary.hasPrefix(".hoard-") && temporary.hasSuffix(".tmp"))
        #expect(try directory.names() == ["snapshot"])
    }

    @Test func ofManyWritersAtOnceOneLeavesItsWholeFile() async throws {
        let payloads = (0..<8).map { [UInt8](repeating: UInt8($0), count: 10_000 + $0) }
        try fixture.write(payloads[0])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for payload in payloads {
                group.addTask { [fixture] in
                    for _ in 0..<5 { try fixture.write(payload) }
                }
            }
            // Every read meanwhile gets one of the payloads, whole.
            group.addTask { [fixture] in
                for _ in 0..<20 {
                    let payload = try fixture.read()
                    #expect(payloads.contains(payload))
                }
            }
            try await group.waitForAll()
        }
        #expect(try payloads.contains(fixture.read()))
        #expect(try directory.names() == ["snapshot"])
    }

    @Test func pathNeedNotBeAbsolute() throws {
        let name = "hoard-snapshot-test-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: name) }
        try SnapshotFile.write([1], schema: "a", to: name)
        #expect(try SnapshotFile.read(path: "./" + name, schema: "a", maximumBytes: 1) == [1])
    }

    private func systemError(of body: () throws(SystemCallError) -> Void) -> SystemCallError? {
        do throws(SystemCallError) {
            try body()
            return nil
        } catch {
            return error
        }
    }
}
