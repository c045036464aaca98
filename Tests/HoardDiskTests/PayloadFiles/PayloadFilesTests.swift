// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

@Suite struct PayloadFilesTests {
    private let workspace: PayloadWorkspace
    private var files: PayloadFiles { workspace.files }

    init() throws { workspace = try PayloadWorkspace() }

    @Test func preparingMakesDirectoriesForTheirOwnerAlone() throws {
        for path in [files.directory, files.root, files.temporaryFolder] { #expect(try workspace.mode(of: path) == 0o700) }
        let stored = try workspace.store(Data([1]))
        try files.prepare()
        #expect(try workspace.read(stored).value == Data([1]))
    }

    @Test func preparingFailsWhereThereIsNoRoomForDirectories() throws {
        try FileManager.default.removeItem(atPath: files.root)
        try Data().write(to: URL(fileURLWithPath: files.root))
        let files = files
        #expect(storeErrorCode { () throws(StoreError) in try files.prepare() } == .notADirectory)
        let sealer = ChecksumSealer(nonce: 0)
        #expect(storeErrorCode { () throws(StoreError) in _ = try files.makeWriter(sealer: sealer) } == .notADirectory)
        let orphan = PayloadFiles(directory: workspace.parent + "/no/such")
        #expect(storeErrorCode { () throws(StoreError) in try orphan.prepare() } == .unavailable)
        #expect(storeErrorCode { () throws(StoreError) in _ = try orphan.makeWriter(sealer: sealer) } == .unavailable)
    }

    @Test func aWriterMakesDeletedDirectoriesAgain() throws {
        try FileManager.default.removeItem(atPath: files.directory)
        let stored = try workspace.store(Data([1, 2, 3]))
        #expect(try workspace.read(stored).value == Data([1, 2, 3]))
        #expect(try workspace.mode(of: files.directory) == 0o700)
    }

    @Test func placingFailsIfTheTemporaryFileHasBeenDeleted() throws {
        let writer = try files.makeWriter(sealer: ChecksumSealer(nonce: 0))
        _ = try writer.write(Data([1]), synchronizing: false)
        try FileManager.default.removeItem(atPath: files.directory)
        let files = files
        #expect(storeErrorCode { () throws(StoreError) in try files.place(writer, as: PayloadWorkspace.name) } == .unavailable)
        #expect(!workspace.exists(PayloadWorkspace.name))
    }

    @Test func aFileThatCouldNotBePlacedStaysTheWriters() throws {
        let name = PayloadWorkspace.name
        let obstacle = files.path(ofFolder: name.folder)
        try Data().write(to: URL(fileURLWithPath: obstacle))
        do {
            let writer = try files.makeWriter(sealer: ChecksumSealer(nonce: name.nonce))
            let written = try writer.write(Data([1]), synchronizing: false)
            let files = files
            #expect(storeErrorCode { () throws(StoreError) in try files.place(writer, as: name) } == .notADirectory)
            #expect(try workspace.temporaryFiles().count == 1)
            try FileManager.default.removeItem(atPath: obstacle)
            try files.place(writer, as: name)
            #expect(try workspace.read(.init(name: name, byteCount: 1, root: written.root)).value == Data([1]))
        }
        #expect(workspace.exists(name))
    }

    @Test func placingSynchronizedWorksWithAndWithoutItsFolder() throws {
        for nonce in 0..<2 as Range<UInt64> {
            let name = PayloadFileName(id: 5, nonce: nonce)
            let writer = try files.makeWriter(sealer: ChecksumSealer(nonce: nonce))
            let written = try writer.write(Data([9]), synchronizing: true)
            try files.place(writer, as: name)
            #expect(try workspace.read(.init(name: name, byteCount: 1, root: written.root)).value == Data([9]))
        }
        #expect(try files.names(inFolder: 0).count == 2)
    }

    @Test func filesOfOneKeyStandSideBySide() throws {
        let old = try workspace.store(Data([1]), as: PayloadFileName(id: 1, nonce: 1))
        let new = try workspace.store(Data([2]), as: PayloadFileName(id: 1, nonce: 2))
        #expect(try workspace.read(old).value == Data([1]))
        try files.remove(old.name)
        #expect(try workspace.read(old).isMissing)
        #expect(try workspace.read(new).value == Data([2]))
    }

    @Test func removingWhatIsNotThereDoesNothing() throws {
        try files.remove(PayloadWorkspace.name)
        try Data().write(to: URL(fileURLWithPath: files.path(ofFolder: PayloadWorkspace.name.folder)))
        try files.remove(PayloadWorkspace.name)
        try FileManager.default.removeItem(atPath: files.directory)
        try files.remove(PayloadWorkspace.name)
    }

    @Test func namesAreListedByFolder() throws {
        let names = [0, 1, -1, .min, .max, 0x0123 << 48].map { PayloadFileName(id: $0, nonce: 3) }
        for name in names { try workspace.store(Data([1]), as: name) }
        #expect(try Set(files.names(inFolder: 0)) == [names[0], names[1]])
        #expect(try files.names(inFolder: 0xff) == [names[2]])
        #expect(try files.names(inFolder: 0x80) == [names[3]])
        #expect(try files.names(inFolder: 0x7f) == [names[4]])
        #expect(try files.names(inFolder: 0x01) == [names[5]])
        #expect(try files.names(inFolder: 0x02).isEmpty)
    }

    @Test func removingAllLeavesLiveWritersAlone() throws {
        let writer = try files.makeWriter(sealer: ChecksumSealer(nonce: 1))
        try writer.append(Data(count: 10))
        var byteCount = 0
        for id in 0..<20 as Range<Int64> {
            let stored = try workspace.store(Data(count: Int(id)), as: PayloadFileName(id: id << 54, nonce: 0))
            byteCount += try workspace.bytes(of: stored.name).count
        }
        try Data([1, 2]).write(to: URL(fileURLWithPath: files.path(ofFolder: 0) + "/stranger"))
        #expect(try files.removeAll() == RemovedFiles(count: 21, byteCount: byteCount + 2))
        for folder in UInt8.min...UInt8.max { #expect(try files.contents(ofFolder: folder) == PayloadFiles.FolderContents()) }
        #expect(try files.removeAll() == RemovedFiles())
        let written = try writer.finish(synchronizing: false)
        let name = PayloadFileName(id: 3, nonce: 1)
        try files.place(writer, as: name)
        #expect(try workspace.read(.init(name: name, byteCount: 10, root: written.root)).value == Data(count: 10))
    }
}
