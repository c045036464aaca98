// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HoardDiskTorture

@Suite final class FaultTests {
    private let root = NSTemporaryDirectory() + "hoard-faults-\(UUID().uuidString)"
    private let original = Data((0..<200).map { UInt8($0) })

    init() throws {
        try FileManager.default.createDirectory(atPath: root + "/payloads", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: root + "/empty", withIntermediateDirectories: true)
        for name in ["hoard.sqlite", "hoard.sqlite-wal", "payloads/a", "payloads/b"] { try original.write(to: url(name)) }
        try Data("other".utf8).write(to: url("payloads/b"))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: "\(root)/\(name)") }

    private func bytes(_ name: String) throws -> Data { try Data(contentsOf: url(name)) }

    @Test func aFlipChangesOneByte() throws {
        try Fault.flip("payloads/a", offset: 5, mask: 0x81).apply(to: root)
        var expected = original
        expected[5] ^= 0x81
        #expect(try bytes("payloads/a") == expected)
        #expect(try bytes("hoard.sqlite") == original)
    }

    @Test func anOverwriteStaysInTheFile() throws {
        try Fault.overwrite("hoard.sqlite", offset: 190, count: 50, seed: nil).apply(to: root)
        #expect(try bytes("hoard.sqlite") == original.prefix(190) + Data(count: 10))
        try Fault.overwrite("hoard.sqlite-wal", offset: 0, count: 16, seed: 7).apply(to: root)
        #expect(try bytes("hoard.sqlite-wal").dropFirst(16) == original.dropFirst(16))
        #expect(try bytes("hoard.sqlite-wal") != original)
        try Fault.overwrite("payloads/b", offset: 1000, count: 16, seed: 7).apply(to: root)
        #expect(try bytes("payloads/b") == Data("other".utf8))
    }

    @Test func filesAreCutExtendedDeletedAndSwapped() throws {
        try Fault.truncate("hoard.sqlite", to: 3).apply(to: root)
        #expect(try bytes("hoard.sqlite") == original.prefix(3))
        try Fault.extend("hoard.sqlite-wal", by: 4, seed: nil).apply(to: root)
        #expect(try bytes("hoard.sqlite-wal") == original + Data(count: 4))
        try Fault.swap("payloads/a", "payloads/b").apply(to: root)
        #expect(try bytes("payloads/b") == original)
        #expect(try bytes("payloads/a") == Data("other".utf8))
        try Fault.delete("payloads/a").apply(to: root)
        #expect(!FileManager.default.fileExists(atPath: url("payloads/a").path))
        // Faults do nothing to a file that does not exist any more.
        try Fault.flip("payloads/a", offset: 0, mask: 1).apply(to: root)
        try Fault.swap("payloads/a", "payloads/b").apply(to: root)
        #expect(try bytes("payloads/b") == original)
    }

    @Test func aCopyHasTheSameFilesAndDates() throws {
        let tree = FileTree(root)
        #expect(tree.files.map(\.path) == ["hoard.sqlite", "hoard.sqlite-wal", "payloads/a", "payloads/b"])
        #expect(tree.directories == ["empty", "payloads"])
        defer { try? FileManager.default.removeItem(atPath: root + "-copy") }
        try tree.copy(to: root + "-copy")
        #expect(FileTree(root + "-copy").files == tree.files)
        #expect(FileTree(root + "-copy").directories == tree.directories)
    }

    @Test(arguments: [FaultPlan.corruption, .powerLoss])
    func theSameSeedGivesTheSameFaults(plan: FaultPlan) {
        let files = FileTree(root).files
        var first = SplitMixGenerator(seed: 3, part: 17)
        var second = SplitMixGenerator(seed: 3, part: 17)
        var third = SplitMixGenerator(seed: 4, part: 17)
        let lists = (0..<20).map { _ in plan.faults(in: files, using: &first) }
        #expect(lists == (0..<20).map { _ in plan.faults(in: files, using: &second) })
        #expect(lists != (0..<20).map { _ in plan.faults(in: files, using: &third) })
    }

    @Test func corruptionHasOneToEightFaultsOfEveryKindInEveryFile() {
        let files = FileTree(root).files
        var generator = SplitMixGenerator(seed: 5)
        let lists = (0..<500).map { _ in FaultPlan.corruption.faults(in: files, using: &generator) }
        #expect(lists.allSatisfy { (1...8).contains($0.count) })
        let words = Set(lists.joined().map { $0.description.prefix { $0 != " " } })
        #expect(words == ["flip", "overwrite", "truncate", "extend", "delete", "swap"])
        #expect(Set(lists.joined().flatMap(\.paths)) == Set(files.map(\.path)))
        #expect(
            lists.joined().allSatisfy { fault in
                guard case .swap(let first, let second) = fault else { return true }
                return FileKind(path: first) == .payload && FileKind(path: second) == .payload
            }
        )
    }

    @Test func aLossOfPowerNeverTouchesTheDatabase() {
        let files = FileTree(root).files
        var generator = SplitMixGenerator(seed: 5)
        let faults = (0..<300).flatMap { _ in FaultPlan.powerLoss.faults(in: files, using: &generator) }
        let kinds = Set(faults.flatMap(\.paths).map { FileKind(path: $0) })
        #expect(kinds == [.log, .payload])
    }
}
