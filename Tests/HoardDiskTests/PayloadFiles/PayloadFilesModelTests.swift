// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

/// Random files against arrays of bytes.
@Suite struct PayloadFilesModelTests {
    private let workspace: PayloadWorkspace

    init() throws { workspace = try PayloadWorkspace() }

    /// Small numbers, and numbers near the bounds of chunks.
    private func randomCount(using generator: inout SeededGenerator) -> Int {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: Int.random(in: 0..<10, using: &generator)
        case 1: Int.random(in: 0..<5000, using: &generator)
        case 2: Int.random(in: 1...2, using: &generator) * PayloadWorkspace.chunk + Int.random(in: -2...2, using: &generator)
        default: Int.random(in: 0..<3 * PayloadWorkspace.chunk, using: &generator)
        }
    }

    @Test(arguments: [false, true]) func randomAppendsAreReadBackInRandomRanges(masking: Bool) throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<(masking ? 4 : 20) {
            let name = PayloadFileName(id: Int64(bitPattern: generator.next()), nonce: generator.next())
            let sealer: any ChunkSealer = masking ? MaskingSealer(nonce: name.nonce) : ChecksumSealer(nonce: name.nonce)
            var model = Data()
            let writer = try workspace.files.makeWriter(sealer: sealer)
            for _ in 0..<Int.random(in: 0..<6, using: &generator) {
                let piece = PayloadWorkspace.randomBytes(randomCount(using: &generator), seed: generator.next())
                try writer.append(piece)
                model += piece
            }
            let written = try writer.finish(synchronizing: false)
            try workspace.files.place(writer, as: name)
            try #require(written.byteCount == model.count, "seed \(seed), round \(round)")

            let stored = PayloadWorkspace.Stored(name: name, byteCount: written.byteCount, root: written.root)
            #expect(try haveSameBytes(workspace.read(stored, sealer: sealer).value, model), "seed \(seed), round \(round)")
            let reader = try #require(try workspace.open(stored, sealer: sealer).value, "seed \(seed), round \(round)")
            for _ in 0..<20 {
                let start = min(randomCount(using: &generator), model.count)
                let range = start..<min(start + randomCount(using: &generator), model.count)
                #expect(try haveSameBytes(reader.read(range), Data(model[range])), "seed \(seed), round \(round), \(range)")
            }
        }
        #expect(try workspace.temporaryFiles().isEmpty)
    }

    @Test func randomDamageIsNeverTakenForThePayload() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<100 {
            let payload = PayloadWorkspace.randomBytes(Int.random(in: 1..<5000, using: &generator), seed: generator.next())
            let stored = try workspace.store(payload)
            let original = try workspace.bytes(of: stored.name)
            var damaged = original
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: damaged.removeLast(Int.random(in: 1...damaged.count, using: &generator))
            case 1: damaged.append(PayloadWorkspace.randomBytes(Int.random(in: 1..<100, using: &generator), seed: generator.next()))
            case 2:
                for _ in 0..<Int.random(in: 1..<9, using: &generator) {
                    damaged[Int.random(in: 0..<damaged.count, using: &generator)] = UInt8.random(in: .min ... .max, using: &generator)
                }
            default:
                let start = Int.random(in: 0..<damaged.count, using: &generator)
                damaged.replaceSubrange(start..., with: Data(count: damaged.count - start))
            }
            try workspace.plant(damaged)
            let lookup = try workspace.read(stored)
            if damaged == original {
                #expect(lookup.value == payload, "seed \(seed), round \(round)")
            } else {
                #expect(lookup.isDamaged, "seed \(seed), round \(round)")
            }
        }
    }
}
