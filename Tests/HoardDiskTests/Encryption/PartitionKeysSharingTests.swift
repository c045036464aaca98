// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardDisk

@Suite struct PartitionKeysSharingTests {
    private let workspace: KeyWorkspace

    init() throws { workspace = try KeyWorkspace() }

    @Test func allWhoCreateAtOnceAgreeOnOneKey() async throws {
        try await expectAgreement()
    }

    @Test func allWhoReplaceADamagedKeyAtOnceAgreeOnOneKey() async throws {
        _ = try workspace.keys.cipher(forPartition: "p", creating: true)
        try workspace.write([1, 2, 3], forPartition: "p")
        try await expectAgreement()
    }

    private func expectAgreement() async throws {
        let keys = workspace.keys
        let ciphers = try await withThrowingTaskGroup(of: RecordCipher?.self) { group in
            for _ in 0..<8 { group.addTask { try keys.cipher(forPartition: "p", creating: true) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ciphers.count == 8)
        for cipher in ciphers {
            #expect(try haveSameKey(cipher, keys.cipher(forPartition: "p", creating: false)))
        }
        #expect(try workspace.files().count == 1)
    }

    @Test func creatingAndDroppingAtOnceLeavesEitherAKeyOrNone() async throws {
        let keys = workspace.keys
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<20 {
                group.addTask {
                    if index.isMultiple(of: 2) { try keys.drop("p") } else { _ = try keys.cipher(forPartition: "p", creating: true) }
                }
            }
            try await group.waitForAll()
        }
        let files = try workspace.files()
        #expect(files.isEmpty || files == [keys.fileName(ofPartition: "p")])
        #expect(try (keys.cipher(forPartition: "p", creating: false) == nil) == files.isEmpty)
    }

    @Test func aRandomSequenceOfStepsBehavesLikeADictionary() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var model: [String: RecordCipher] = [:]
        for step in 0..<150 {
            // Each step has its own value, so that nothing is cached.
            let keys = workspace.keys
            let name = "partition \(Int.random(in: 0..<4, using: &generator))"
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                try keys.drop(name)
                model[name] = nil
            case 1:
                if model.removeValue(forKey: name) != nil { try workspace.write([UInt8](repeating: 9, count: step), forPartition: name) }
            case 2:
                let cipher = try #require(try keys.cipher(forPartition: name, creating: true))
                if let known = model[name] { #expect(try haveSameKey(cipher, known), "seed \(seed), step \(step)") }
                model[name] = cipher
            default:
                let cipher = try keys.cipher(forPartition: name, creating: false)
                #expect((cipher == nil) == (model[name] == nil), "seed \(seed), step \(step)")
                if let cipher { #expect(try haveSameKey(cipher, model[name]), "seed \(seed), step \(step)") }
            }
        }
    }
}
