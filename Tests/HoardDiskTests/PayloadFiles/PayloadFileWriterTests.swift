// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

@Suite struct PayloadFileWriterTests {
    private static let chunk = PayloadWorkspace.chunk
    private let workspace: PayloadWorkspace

    init() throws { workspace = try PayloadWorkspace() }

    private func makeWriter(nonce: UInt64 = PayloadWorkspace.name.nonce) throws -> PayloadFileWriter {
        try workspace.files.makeWriter(sealer: ChecksumSealer(nonce: nonce))
    }

    @Test(arguments: [0, 1, 4095, chunk - 1, chunk, chunk + 1, 2 * chunk, 3 * chunk + 17], [false, true])
    func aPayloadIsReadAsItWasWritten(byteCount: Int, masking: Bool) throws {
        let payload = PayloadWorkspace.randomBytes(byteCount, seed: 1)
        let sealer: any ChunkSealer = masking ? MaskingSealer(nonce: 3) : ChecksumSealer(nonce: 3)
        let stored = try workspace.store(payload, sealer: sealer)
        #expect(stored.byteCount == byteCount)
        #expect(try haveSameBytes(workspace.read(stored, sealer: sealer).value, payload))
        let layout = try #require(PayloadFileLayout(byteCount: byteCount, tagByteCount: sealer.tagByteCount))
        let file = try workspace.bytes(of: stored.name)
        #expect(file.count == layout.fileByteCount)
        #expect(haveSameBytes(file.prefix(byteCount), Data(masking ? payload.map { $0 ^ 0xa5 } : Array(payload))))
        #expect(file.suffix(32).elementsEqual(layout.footer))
    }

    @Test(arguments: [1, 1000, chunk - 1, chunk, chunk + 1, 3 * chunk])
    func appendingInPiecesGivesTheSameFile(pieceByteCount: Int) throws {
        let payload = PayloadWorkspace.randomBytes(pieceByteCount == 1 ? 3000 : 2 * Self.chunk + 99, seed: 2)
        let whole = try workspace.store(payload)
        let bytes = try workspace.bytes(of: whole.name)
        let writer = try makeWriter()
        var rest = payload[...]
        while !rest.isEmpty {
            try writer.append(Data(rest.prefix(pieceByteCount)))
            rest = rest.dropFirst(pieceByteCount)
        }
        let written = try writer.finish(synchronizing: false)
        #expect(written == PayloadFileWriter.Written(byteCount: whole.byteCount, root: whole.root))
        try workspace.files.place(writer, as: whole.name)
        #expect(try haveSameBytes(workspace.bytes(of: whole.name), bytes))
    }

    @Test func theRestOfAPayloadCanBeWrittenAtOnce() throws {
        let payload = PayloadWorkspace.randomBytes(2 * Self.chunk + 5, seed: 3)
        let whole = try workspace.store(payload)
        let writer = try makeWriter()
        try writer.append(Data(payload.prefix(100)))
        try writer.append(Data())
        let written = try writer.write(Data(payload.dropFirst(100)), synchronizing: true)
        #expect(written.root == whole.root)
        try workspace.files.place(writer, as: whole.name)
        #expect(try haveSameBytes(workspace.read(whole).value, payload))
    }

    @Test func aSliceOfDataIsWrittenFromItsOwnBeginning() throws {
        let payload = PayloadWorkspace.randomBytes(1000, seed: 4)
        let stored = try workspace.store(payload[100..<200])
        #expect(try workspace.read(stored).value == Data(payload[100..<200]))
    }

    @Test func aFileBelongsToItsOwnerAlone() throws {
        let stored = try workspace.store(Data([1]))
        #expect(try workspace.mode(of: workspace.files.path(of: stored.name)) == 0o600)
        #expect(try workspace.mode(of: workspace.files.path(ofFolder: stored.name.folder)) == 0o700)
    }

    @Test(arguments: [false, true]) func aWriterThatIsDroppedLeavesNoFile(finishing: Bool) throws {
        do {
            let writer = try makeWriter()
            try writer.append(PayloadWorkspace.randomBytes(Self.chunk + 1, seed: 5))
            if finishing { _ = try writer.finish(synchronizing: false) }
            #expect(try workspace.temporaryFiles().count == 1)
        }
        #expect(try workspace.temporaryFiles().isEmpty)
    }

    @Test func aCancelledWriterRemovesItsFileAndRefusesWork() throws {
        let writer = try makeWriter()
        try writer.append(Data([1]))
        writer.cancel()
        writer.cancel()
        #expect(try workspace.temporaryFiles().isEmpty)
        #expect(storeErrorCode { () throws(StoreError) in try writer.append(Data([2])) } == .unavailable)
        #expect(storeErrorCode { () throws(StoreError) in _ = try writer.finish(synchronizing: false) } == .unavailable)
        #expect(storeErrorCode { () throws(StoreError) in try workspace.files.place(writer, as: PayloadWorkspace.name) } == .unavailable)
        #expect(!workspace.exists(PayloadWorkspace.name))
    }

    @Test func cancellingLeavesAFileInPlaceAlone() throws {
        let writer = try makeWriter()
        let written = try writer.write(Data([1, 2]), synchronizing: false)
        try workspace.files.place(writer, as: PayloadWorkspace.name)
        writer.cancel()
        let stored = PayloadWorkspace.Stored(name: PayloadWorkspace.name, byteCount: 2, root: written.root)
        #expect(try workspace.read(stored).value == Data([1, 2]))
        #expect(try workspace.temporaryFiles().isEmpty)
    }

    @Test func anAppendKeepsNoMoreThanItsIncompleteChunk() throws {
        let writer = try makeWriter()
        try writer.append(PayloadWorkspace.randomBytes(3 * Self.chunk + 7, seed: 6))
        let name = try #require(try workspace.temporaryFiles().first)
        let path = workspace.files.temporaryFolder + "/" + name
        #expect(try FileSystem.status(of: path)?.byteCount == 3 * Self.chunk)
        try writer.append(Data(count: Self.chunk - 7))
        #expect(try FileSystem.status(of: path)?.byteCount == 4 * Self.chunk)
    }
}

/// `/dev/full` fails every write as a full disk does.
@Suite(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "There is no /dev/full."))
struct PayloadFileWriterDiskFullTests {
    private let workspace: PayloadWorkspace
    private let path: String

    init() throws {
        workspace = try PayloadWorkspace()
        path = workspace.files.temporaryFolder + "/full"
    }

    /// Makes a writer whose disk is full. There is a file at its path, as a real writer has one.
    private func makeWriter() throws -> PayloadFileWriter {
        try Data([1]).write(to: URL(fileURLWithPath: path))
        return PayloadFileWriter(file: try FileDescriptor.writing("/dev/full"), path: path, sealer: ChecksumSealer(nonce: 1))
    }

    @Test func anAppendToAFullDiskGivesTheFileUp() throws {
        let writer = try makeWriter()
        try writer.append(Data(count: PayloadWorkspace.chunk - 1))
        #expect(storeErrorCode { () throws(StoreError) in try writer.append(Data(count: 1)) } == .full)
        #expect(try workspace.temporaryFiles().isEmpty)
        #expect(storeErrorCode { () throws(StoreError) in try writer.append(Data(count: 1)) } == .unavailable)
    }

    @Test(arguments: [0, 1, 3 * 128 << 10]) func writingAtOnceToAFullDiskGivesTheFileUp(byteCount: Int) throws {
        let writer = try makeWriter()
        #expect(storeErrorCode { () throws(StoreError) in _ = try writer.write(Data(count: byteCount), synchronizing: false) } == .full)
        #expect(try workspace.temporaryFiles().isEmpty)
    }

    @Test func finishingOnAFullDiskGivesTheFileUp() throws {
        let writer = try makeWriter()
        try writer.append(Data(count: 10))
        #expect(storeErrorCode { () throws(StoreError) in _ = try writer.finish(synchronizing: true) } == .full)
        #expect(try workspace.temporaryFiles().isEmpty)
    }

    @Test func aFullDiskStopsASealerThatEncrypts() throws {
        try Data([1]).write(to: URL(fileURLWithPath: path))
        let writer = PayloadFileWriter(file: try FileDescriptor.writing("/dev/full"), path: path, sealer: MaskingSealer(nonce: 1))
        #expect(storeErrorCode { () throws(StoreError) in try writer.append(Data(count: PayloadWorkspace.chunk)) } == .full)
        #expect(try workspace.temporaryFiles().isEmpty)
    }
}
