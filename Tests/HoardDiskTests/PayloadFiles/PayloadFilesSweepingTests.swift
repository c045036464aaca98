// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

@Suite struct PayloadFilesSweepingTests {
    private let workspace: PayloadWorkspace
    private var files: PayloadFiles { workspace.files }

    init() throws { workspace = try PayloadWorkspace() }

    private func plantTemporaryFile(_ name: String, byteCount: Int) throws {
        try Data(count: byteCount).write(to: URL(fileURLWithPath: files.temporaryFolder + "/" + name))
    }

    @Test func aLiveWritersFileIsNotSwept() throws {
        let writer = try files.makeWriter(sealer: ChecksumSealer(nonce: 1))
        try writer.append(Data([1, 2, 3]))
        #expect(try files.sweepTemporaryFiles() == RemovedFiles())
        _ = try writer.finish(synchronizing: false)
        #expect(try files.sweepTemporaryFiles() == RemovedFiles())
        try files.place(writer, as: PayloadWorkspace.name)
        #expect(try files.sweepTemporaryFiles() == RemovedFiles())
        #expect(workspace.exists(PayloadWorkspace.name))
    }

    @Test func aDeadWritersFileIsSwept() throws {
        let writer = try files.makeWriter(sealer: ChecksumSealer(nonce: 1))
        // A process that dies closes its descriptors, and that drops the lock. Its files stay.
        let path = files.temporaryFolder + "/dead"
        do {
            let file = try FileDescriptor.creating(path)
            #expect(try file.lockWithoutWaiting())
            try file.write([1, 2, 3])
            #expect(try files.sweepTemporaryFiles() == RemovedFiles())
        }
        try plantTemporaryFile("older", byteCount: 4)
        #expect(try files.sweepTemporaryFiles() == RemovedFiles(count: 2, byteCount: 7))
        #expect(try workspace.temporaryFiles().count == 1)
        writer.cancel()
        #expect(try workspace.temporaryFiles().isEmpty)
    }

    @Test func aSweepLeavesWhatIsNotAFileAlone() throws {
        let target = workspace.parent + "/target"
        try Data([1]).write(to: URL(fileURLWithPath: target))
        try FileManager.default.createSymbolicLink(atPath: files.temporaryFolder + "/link", withDestinationPath: target)
        try FileManager.default.createDirectory(atPath: files.temporaryFolder + "/directory", withIntermediateDirectories: false)
        #expect(try files.sweepTemporaryFiles() == RemovedFiles())
        #expect(try workspace.temporaryFiles() == ["directory", "link"])
        #expect(FileManager.default.fileExists(atPath: target))
    }

    @Test func sweepingWithoutDirectoriesFindsNothing() throws {
        try FileManager.default.removeItem(atPath: files.directory)
        #expect(try files.sweepTemporaryFiles() == RemovedFiles())
        #expect(try files.names(inFolder: 0).isEmpty)
        #expect(try files.removeAll() == RemovedFiles())
    }

    @Test func orphansAreRemovedAndKnownFilesStay() throws {
        let known = try workspace.store(Data([1]), as: PayloadFileName(id: 1, nonce: 1))
        let orphan = try workspace.store(Data([2]), as: PayloadFileName(id: 1, nonce: 2))
        let elsewhere = try workspace.store(Data([3]), as: PayloadFileName(id: -1, nonce: 1))
        let orphanByteCount = try workspace.bytes(of: orphan.name).count
        var asked: Set<PayloadFileName> = []
        let removed = try files.removeOrphans(inFolder: 0) { (names) throws(StoreError) in
            asked = Set(names)
            return [known.name]
        }
        #expect(asked == [known.name, orphan.name])
        #expect(removed == RemovedFiles(count: 1, byteCount: orphanByteCount))
        #expect(try workspace.read(known).value == Data([1]))
        #expect(try workspace.read(orphan).isMissing)
        #expect(try workspace.read(elsewhere).value == Data([3]))
    }

    @Test func aFilePlacedAfterTheListingIsNotTouched() throws {
        let orphan = try workspace.store(Data([1]), as: PayloadFileName(id: 1, nonce: 1))
        var late: PayloadWorkspace.Stored?
        _ = try files.removeOrphans(inFolder: 0) { (names) throws(StoreError) in
            #expect(names == [orphan.name])
            late = try? workspace.store(Data([2]), as: PayloadFileName(id: 1, nonce: 2))
            return []
        }
        #expect(try workspace.read(orphan).isMissing)
        #expect(try workspace.read(#require(late)).value == Data([2]))
    }

    @Test func aFileRemovedAfterTheListingIsNotCounted() throws {
        let orphan = try workspace.store(Data([1]), as: PayloadFileName(id: 1, nonce: 1))
        let removed = try files.removeOrphans(inFolder: 0) { (_) throws(StoreError) in
            try files.remove(orphan.name)
            return []
        }
        #expect(removed == RemovedFiles())
    }

    @Test func strangersAreRemovedWithoutAsking() throws {
        let folder = files.path(ofFolder: 0)
        try FileManager.default.createDirectory(atPath: folder + "/directory", withIntermediateDirectories: true)
        try Data(count: 5).write(to: URL(fileURLWithPath: folder + "/stranger"))
        // A payload file's name, in the wrong folder.
        try Data(count: 6).write(to: URL(fileURLWithPath: folder + "/" + PayloadFileName(id: -1, nonce: 0).fileName))
        let removed = try files.removeOrphans(inFolder: 0) { (_) throws(StoreError) in
            Issue.record("There is no payload file to ask about.")
            return []
        }
        #expect(removed == RemovedFiles(count: 2, byteCount: 11))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["directory"])
    }

    @Test func nothingIsRemovedIfTheRowsCannotBeRead() throws {
        let stored = try workspace.store(Data([1]), as: PayloadFileName(id: 1, nonce: 1))
        let files = files
        try Data().write(to: URL(fileURLWithPath: files.path(ofFolder: 0) + "/stranger"))
        let code = storeErrorCode { () throws(StoreError) in
            _ = try files.removeOrphans(inFolder: 0) { (_) throws(StoreError) in throw StoreError(.corrupt, "It is broken.") }
        }
        #expect(code == .corrupt)
        #expect(try workspace.read(stored).value == Data([1]))
        #expect(try files.contents(ofFolder: 0).strangers == ["stranger"])
    }

    @Test func sweepsAndWritersDoNotDisturbEachOther() async throws {
        let workspace = workspace
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 as Range<Int64> {
                group.addTask {
                    for step in 0..<100 as Range<UInt64> {
                        let payload = PayloadWorkspace.randomBytes(Int(step) * 7, seed: step)
                        let stored = try workspace.store(payload, as: PayloadFileName(id: task << 56, nonce: step))
                        #expect(try workspace.read(stored).value == payload)
                    }
                }
            }
            group.addTask {
                for _ in 0..<300 { _ = try workspace.files.sweepTemporaryFiles() }
            }
            try await group.waitForAll()
        }
        #expect(try (0..<4 as Range<UInt8>).map { try workspace.files.names(inFolder: $0).count } == [100, 100, 100, 100])
        #expect(try workspace.temporaryFiles().isEmpty)
    }
}
