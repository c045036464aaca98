// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

@Suite struct PayloadFileReaderTests {
    private static let chunk = PayloadWorkspace.chunk
    private let workspace: PayloadWorkspace

    init() throws { workspace = try PayloadWorkspace() }

    @Test(arguments: [false, true]) func rangesAtAllChunkBoundsAreRead(masking: Bool) throws {
        let payload = PayloadWorkspace.randomBytes(3 * Self.chunk + 10, seed: 1)
        let sealer: any ChunkSealer = masking ? MaskingSealer(nonce: 3) : ChecksumSealer(nonce: 3)
        let reader = try #require(try workspace.open(workspace.store(payload, sealer: sealer), sealer: sealer).value)
        #expect(reader.byteCount == payload.count)
        var bounds = [payload.count - 1, payload.count]
        for index in 0...3 { bounds += (index * Self.chunk - 1)...(index * Self.chunk + 1) }
        for start in bounds where start >= 0 {
            for end in bounds where end >= start {
                #expect(try haveSameBytes(reader.read(start..<end), Data(payload[start..<end])), "\(start)..<\(end)")
            }
        }
    }

    @Test func whatIsReadBeginsAtIndexZero() throws {
        let payload = PayloadWorkspace.randomBytes(1000, seed: 2)
        let reader = try #require(try workspace.open(workspace.store(payload)).value)
        #expect(try reader.read(100..<200)?.startIndex == 0)
    }

    @Test(arguments: [(10..<20, 10..<10), (8..<20, 8..<10), (-5..<3, 0..<3), (-5 ..< -2, 0..<0), (Int.min..<Int.max, 0..<10)])
    func bytesThatThePayloadDoesNotHaveAreLeftOut(range: Range<Int>, expected: Range<Int>) throws {
        let payload = PayloadWorkspace.randomBytes(10, seed: 3)
        let reader = try #require(try workspace.open(workspace.store(payload)).value)
        #expect(try reader.read(range) == Data(payload[expected]))
    }

    @Test func anEmptyPayloadIsFoundAndEmpty() throws {
        let stored = try workspace.store(Data())
        let reader = try #require(try workspace.open(stored).value)
        #expect(reader.byteCount == 0)
        #expect(try reader.read(0..<10) == Data())
        #expect(try workspace.bytes(of: stored.name).count == 32)
    }

    @Test func aReaderOutlivesItsFile() throws {
        let payload = PayloadWorkspace.randomBytes(2 * Self.chunk, seed: 4)
        let stored = try workspace.store(payload)
        let reader = try #require(try workspace.open(stored).value)
        try workspace.files.remove(stored.name)
        #expect(try workspace.open(stored).isMissing)
        #expect(try haveSameBytes(reader.read(0..<payload.count), payload))
    }

    @Test func onlyTheChunksOfTheRangeAreVerified() throws {
        let payload = PayloadWorkspace.randomBytes(4 * Self.chunk, seed: 5)
        let stored = try workspace.store(payload)
        var bytes = try workspace.bytes(of: stored.name)
        bytes[2 * Self.chunk + 77] ^= 1
        try workspace.plant(bytes)
        let reader = try #require(try workspace.open(stored).value)
        #expect(try haveSameBytes(reader.read(0..<2 * Self.chunk), Data(payload[..<(2 * Self.chunk)])))
        #expect(try haveSameBytes(reader.read(3 * Self.chunk..<4 * Self.chunk), Data(payload[(3 * Self.chunk)...])))
        // The range need not have the damaged byte. It is enough that one of its chunks has it.
        #expect(try reader.read(2 * Self.chunk..<2 * Self.chunk + 1) == nil)
        #expect(try reader.read(3 * Self.chunk - 1..<3 * Self.chunk + 1) == nil)
        #expect(try reader.read(2 * Self.chunk..<3 * Self.chunk) == nil)
        #expect(try reader.read(0..<payload.count) == nil)
        #expect(try workspace.read(stored).isDamaged)
    }

    @Test func aFileThatIsCutWhileItIsOpenIsDamaged() throws {
        let payload = PayloadWorkspace.randomBytes(2 * Self.chunk, seed: 6)
        let stored = try workspace.store(payload)
        let reader = try #require(try workspace.open(stored).value)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: workspace.files.path(of: stored.name)))
        try handle.truncate(atOffset: UInt64(Self.chunk + 1))
        try handle.close()
        #expect(try reader.read(0..<10) == Data(payload[..<10]))
        #expect(try reader.read(Self.chunk..<Self.chunk + 1) == nil)
        #expect(try reader.read(Self.chunk..<2 * Self.chunk) == nil)
    }

    @Test func manyThreadsReadAtOnce() async throws {
        let payload = PayloadWorkspace.randomBytes(3 * Self.chunk + 5, seed: 7)
        let reader = try #require(try workspace.open(workspace.store(payload)).value)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    try (0..<20).allSatisfy { step in
                        let start = (task * 20 + step) * 2000 % payload.count
                        let range = start..<min(start + 150_000, payload.count)
                        return try reader.read(range) == Data(payload[range])
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}
