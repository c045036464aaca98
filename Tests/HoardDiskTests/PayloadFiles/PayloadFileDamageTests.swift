// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct PayloadFileDamageTests {
    private static let chunk = PayloadWorkspace.chunk
    private let workspace: PayloadWorkspace

    init() throws { workspace = try PayloadWorkspace() }

    private func rename(_ name: PayloadFileName, to newName: PayloadFileName) throws {
        try FileManager.default.removeItem(atPath: workspace.files.path(of: newName))
        try FileManager.default.moveItem(atPath: workspace.files.path(of: name), toPath: workspace.files.path(of: newName))
    }

    /// Whether the reader finds the damage when it opens the file or reads all of it.
    private func readerRefuses(_ stored: PayloadWorkspace.Stored) throws -> Bool {
        guard let reader = try workspace.open(stored).value else { return true }
        return try reader.read(0..<reader.byteCount) == nil
    }

    @Test(arguments: [0, 1, 100]) func everyFlippedBitIsFound(byteCount: Int) throws {
        let stored = try workspace.store(PayloadWorkspace.randomBytes(byteCount, seed: 1))
        let original = try workspace.bytes(of: stored.name)
        for position in original.indices {
            for bit in 0..<8 {
                var damaged = original
                damaged[position] ^= 1 << bit
                try workspace.plant(damaged)
                #expect(try workspace.read(stored).isDamaged, "byte \(position), bit \(bit)")
                #expect(try readerRefuses(stored), "byte \(position), bit \(bit)")
            }
        }
        try workspace.plant(original)
        #expect(try workspace.read(stored).value != nil)
    }

    @Test func everyByteOfTableAndFooterOfAFileWithManyChunksIsGuarded() throws {
        let payload = PayloadWorkspace.randomBytes(3 * Self.chunk + 9, seed: 2)
        let stored = try workspace.store(payload)
        let original = try workspace.bytes(of: stored.name)
        for position in payload.count..<original.count {
            var damaged = original
            damaged[position] ^= 0x80
            try workspace.plant(damaged)
            #expect(try workspace.read(stored).isDamaged, "byte \(position)")
            #expect(try workspace.open(stored).isDamaged, "byte \(position)")
        }
    }

    @Test(arguments: [0, 1, 100]) func everyTruncationIsFound(byteCount: Int) throws {
        let stored = try workspace.store(PayloadWorkspace.randomBytes(byteCount, seed: 3))
        let original = try workspace.bytes(of: stored.name)
        for length in 0..<original.count {
            try workspace.plant(Data(original.prefix(length)))
            #expect(try workspace.read(stored).isDamaged, "\(length) bytes")
            #expect(try workspace.open(stored).isDamaged, "\(length) bytes")
        }
    }

    @Test func aFileThatHasGrownIsDamaged() throws {
        let stored = try workspace.store(PayloadWorkspace.randomBytes(100, seed: 4))
        try workspace.plant(try workspace.bytes(of: stored.name) + [0])
        #expect(try workspace.read(stored).isDamaged)
        #expect(try workspace.open(stored).isDamaged)
    }

    @Test func chunksThatHaveChangedPlacesAreFound() throws {
        let payload = Data(repeating: 1, count: Self.chunk) + Data(repeating: 2, count: Self.chunk)
        let stored = try workspace.store(payload)
        let original = try workspace.bytes(of: stored.name)
        let tags = original[(2 * Self.chunk)...].prefix(16)
        let swappedPayload = Data(payload.suffix(Self.chunk)) + Data(payload.prefix(Self.chunk))
        let swappedTags = Data(tags.suffix(8)) + Data(tags.prefix(8))
        let footer = Data(original.suffix(32))
        try workspace.plant(swappedPayload + tags + footer)
        #expect(try workspace.read(stored).isDamaged)
        try workspace.plant(swappedPayload + swappedTags + footer)
        #expect(try workspace.read(stored).isDamaged)
        try workspace.plant(payload + tags + footer)
        #expect(try haveSameBytes(workspace.read(stored).value, payload))
    }

    @Test func anotherRecordsFileIsFoundOut() throws {
        let payload = PayloadWorkspace.randomBytes(100, seed: 5)
        let first = try workspace.store(payload, as: PayloadFileName(id: 1, nonce: 1))
        let second = try workspace.store(PayloadWorkspace.randomBytes(100, seed: 6), as: PayloadFileName(id: 2, nonce: 2))
        try rename(second.name, to: first.name)
        #expect(try workspace.read(first).isDamaged)
        #expect(try workspace.open(first).isDamaged)
        #expect(try workspace.read(second).isMissing)
    }

    @Test func theSamePayloadInAnotherRecordsFileIsFoundOut() throws {
        let payload = PayloadWorkspace.randomBytes(100, seed: 7)
        let first = try workspace.store(payload, as: PayloadFileName(id: 1, nonce: 1))
        let second = try workspace.store(payload, as: PayloadFileName(id: 1, nonce: 2))
        #expect(first.root != second.root)
        try rename(second.name, to: first.name)
        #expect(try workspace.read(first).isDamaged)
    }

    @Test(arguments: [(99, 0), (101, 0), (0, 0), (-1, 0), (Int.max, 0), (1 << 60, 0), (100, 1)] as [(Int, UInt64)])
    func aRowThatDoesNotFitTheFileIsDamage(byteCount: Int, rootChange: UInt64) throws {
        let stored = try workspace.store(PayloadWorkspace.randomBytes(100, seed: 8))
        let row = PayloadWorkspace.Stored(name: stored.name, byteCount: byteCount, root: stored.root ^ rootChange)
        #expect(try workspace.read(row).isDamaged)
        #expect(try workspace.open(row).isDamaged)
    }

    @Test func anotherSealerDoesNotReadTheFile() throws {
        let stored = try workspace.store(PayloadWorkspace.randomBytes(100, seed: 9))
        #expect(try workspace.read(stored, sealer: ChecksumSealer(nonce: 1)).isDamaged)
        #expect(try workspace.read(stored, sealer: MaskingSealer(nonce: stored.name.nonce)).isDamaged)
    }

    @Test func aMissingFileOrFolderIsNotDamage() throws {
        let row = PayloadWorkspace.Stored(name: PayloadWorkspace.name, byteCount: 1, root: 0)
        #expect(try workspace.read(row).isMissing)
        try FileManager.default.removeItem(atPath: workspace.files.directory)
        #expect(try workspace.read(row).isMissing)
        #expect(try workspace.open(row).isMissing)
        try FileManager.default.createDirectory(atPath: workspace.files.root, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: workspace.files.path(ofFolder: row.name.folder)))
        #expect(try workspace.read(row).isMissing)
    }

    @Test func whatIsNotAFileIsDamage() throws {
        // With this length the file is as long as many file systems report for a directory.
        let stored = try workspace.store(Data(count: 4096 - 8 - PayloadFileLayout.footerByteCount))
        let path = workspace.files.path(of: stored.name)
        let other = workspace.parent + "/other"
        try FileManager.default.moveItem(atPath: path, toPath: other)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
        #expect(try workspace.read(stored).isDamaged)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(try workspace.read(stored).isDamaged)
        #expect(try workspace.open(stored).isDamaged)
        try FileManager.default.removeItem(atPath: path)
        #expect(mkfifo(path, 0o600) == 0)
        #expect(try workspace.read(stored).isDamaged)
    }

    @Test func aRefusalOfTheSystemIsNotDamage() throws {
        let row = PayloadWorkspace.Stored(name: PayloadWorkspace.name, byteCount: 1, root: 0)
        // A path that is too long fails for every user, and for the superuser too.
        let files = PayloadFiles(directory: "/" + String(repeating: "a", count: 5000))
        #expect(
            storeErrorCode { () throws(StoreError) in
                _ = try files.read(row.name, byteCount: 1, root: 0, sealer: ChecksumSealer(nonce: 0))
            } == .unavailable
        )
        #expect(
            storeErrorCode { () throws(StoreError) in
                _ = try files.open(row.name, byteCount: 1, root: 0, sealer: ChecksumSealer(nonce: 0))
            } == .unavailable
        )
    }

    @Test(
        arguments: [
            (ENOENT, "missing"), (ENOTDIR, "missing"), (ELOOP, "damaged"), (ENXIO, "damaged"), (EMFILE, "error"), (EACCES, "error"), (EIO, "error"),
        ]
            as [(CInt, String)]
    )
    func failuresToOpenAreToldApart(number: CInt, expected: String) {
        let outcome: String
        do throws(StoreError) {
            let lookup = try PayloadFileLookup<Int> { () throws(PayloadFileFault) in throw PayloadFileFault(opening: SystemCallError(number)) }
            outcome = lookup.isMissing ? "missing" : lookup.isDamaged ? "damaged" : "found"
        } catch {
            outcome = "error"
        }
        #expect(outcome == expected)
    }
}
