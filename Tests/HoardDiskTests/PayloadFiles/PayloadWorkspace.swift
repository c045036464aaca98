// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting

@testable import HoardDisk

/// A store's directory with payload files in it, for one test. It is removed at the end of the test.
final class PayloadWorkspace: Sendable {
    /// A file in its place, and the columns that its record's row would have.
    struct Stored: Sendable {
        let name: PayloadFileName
        let byteCount: Int
        let root: UInt64
    }

    let parent: String
    let files: PayloadFiles

    init() throws {
        parent = NSTemporaryDirectory() + "hoard-payload-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        files = PayloadFiles(directory: parent + "/cache")
        try files.prepare()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: parent)
    }

    static let chunk = PayloadFileLayout.chunkByteCount
    static let name = PayloadFileName(id: 0x0123_4567_89ab_cdef, nonce: 0xfedc_ba98_7654_3210)

    func sealer(_ name: PayloadFileName) -> any ChunkSealer { ChecksumSealer(nonce: name.nonce) }

    @discardableResult
    func store(_ payload: Data, as name: PayloadFileName = name, sealer: (any ChunkSealer)? = nil) throws -> Stored {
        let writer = try files.makeWriter(sealer: sealer ?? self.sealer(name))
        let written = try writer.write(payload, synchronizing: false)
        try files.place(writer, as: name)
        return Stored(name: name, byteCount: written.byteCount, root: written.root)
    }

    func read(_ stored: Stored, sealer: (any ChunkSealer)? = nil) throws -> PayloadFileLookup<Data> {
        try files.read(stored.name, byteCount: stored.byteCount, root: stored.root, sealer: sealer ?? self.sealer(stored.name))
    }

    func open(_ stored: Stored, sealer: (any ChunkSealer)? = nil) throws -> PayloadFileLookup<PayloadFileReader> {
        try files.open(stored.name, byteCount: stored.byteCount, root: stored.root, sealer: sealer ?? self.sealer(stored.name))
    }

    func bytes(of name: PayloadFileName) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: files.path(of: name)))
    }

    /// Writes `bytes` to the place of the file of `name`.
    func plant(_ bytes: Data, as name: PayloadFileName = name) throws {
        try FileManager.default.createDirectory(atPath: files.path(ofFolder: name.folder), withIntermediateDirectories: true)
        try bytes.write(to: URL(fileURLWithPath: files.path(of: name)))
    }

    func temporaryFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: files.temporaryFolder).sorted()
    }

    func exists(_ name: PayloadFileName) -> Bool {
        FileManager.default.fileExists(atPath: files.path(of: name))
    }

    func mode(of path: String) throws -> Int? {
        try (FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }

    static func randomBytes(_ count: Int, seed: UInt64) -> Data {
        var generator = SeededGenerator(seed: seed)
        var bytes = Data(capacity: count + 8)
        while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
        return Data(bytes.prefix(count))
    }
}

/// A sealer that changes every byte, as encryption does, and has tags of 16 bytes.
struct MaskingSealer: ChunkSealer {
    let checksum: ChecksumSealer

    init(nonce: UInt64) { checksum = ChecksumSealer(nonce: nonce) }

    var tagByteCount: Int { 16 }

    func seal(_ chunk: UnsafeRawBufferPointer, index: Int, tags: inout [UInt8]) -> Data? {
        let masked = Data(chunk.map { $0 ^ 0xa5 })
        _ = masked.withUnsafeBytes { checksum.seal($0, index: index, tags: &tags) }
        tags += [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 8)
        return masked
    }

    func open(_ chunk: UnsafeMutableRawBufferPointer, index: Int, tag: UnsafeRawBufferPointer) -> Bool {
        guard tag.count == 16, tag[8...].allSatisfy({ $0 == UInt8(truncatingIfNeeded: index) }) else { return false }
        guard checksum.open(chunk, index: index, tag: UnsafeRawBufferPointer(rebasing: tag[..<8])) else { return false }
        for position in chunk.indices { chunk[position] ^= 0xa5 }
        return true
    }

    func root(tags: UnsafeRawBufferPointer, byteCount: Int) -> UInt64 {
        checksum.root(tags: tags, byteCount: byteCount)
    }
}

extension PayloadFileLookup {
    var isMissing: Bool {
        if case .missing = self { return true }
        return false
    }

    var isDamaged: Bool {
        if case .damaged = self { return true }
        return false
    }
}

/// The code of the error that `body` throws, or `nil` if it throws none.
func storeErrorCode(of body: () throws(StoreError) -> Void) -> StoreError.Code? {
    do throws(StoreError) {
        try body()
        return nil
    } catch {
        return error.code
    }
}

/// Compares long data with `==`. If an expectation with `==` fails, the testing library looks
/// for the differences for minutes.
func haveSameBytes(_ found: Data?, _ expected: Data) -> Bool {
    found == expected
}
