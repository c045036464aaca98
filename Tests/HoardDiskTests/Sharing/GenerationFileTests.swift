// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

@Suite struct GenerationFileTests {
    private let workspace: Workspace
    private var path: String { workspace.directory + "/" + GenerationFile.name }

    init() throws {
        workspace = try Workspace()
        try FileManager.default.createDirectory(atPath: workspace.directory, withIntermediateDirectories: true)
    }

    private func file() throws -> GenerationFile { try #require(try GenerationFile(path: path, creating: true)) }

    @Test func aNewFileHasAnEvenNumberAndIsForItsOwnerOnly() throws {
        let file = try file()
        #expect(try #require(file.read()) & 1 == 0)
        #expect(try workspace.mode(of: path) == 0o600)
        #expect(!file.isGone)
    }

    @Test func aFileThatMayNotBeCreatedIsNone() throws {
        #expect(try GenerationFile(path: path, creating: false) == nil)
        #expect(!FileManager.default.fileExists(atPath: path))
        _ = try file()
        #expect(try GenerationFile(path: path, creating: false) != nil)
    }

    @Test func aFileThatCannotBeCreatedIsAnError() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(throws: StoreError.self) { try GenerationFile(path: path, creating: true) }
    }

    @Test(arguments: [0, 1, 2, 12345, .max - 1, .max] as [UInt64])
    func everyNumberIsReadByOthers(number: UInt64) throws {
        let (first, second) = (try file(), try file())
        first.write(number)
        #expect(second.read() == number)
    }

    @Test func openingAFileAgainKeepsItsNumber() throws {
        try file().write(4711)
        #expect(try file().read() == 4711)
    }

    @Test func aTransactionMakesTheNumberOddAndGreaterThanAllBefore() throws {
        let (first, second) = (try file(), try file())
        first.write(100)
        #expect(first.begin() == 101)
        // This is as if the first process had died.
        #expect(second.begin() == 103)
        #expect(second.advance(from: 103, to: 104))
        #expect(first.read() == 104)
        #expect(first.begin() == 105)
    }

    @Test func aTransactionThatEndsLateDoesNotTurnTheNumberBack() throws {
        let (first, second) = (try file(), try file())
        let (odd, later) = (first.begin(), second.begin())
        #expect(second.advance(from: later, to: later + 1))
        #expect(!first.advance(from: odd, to: odd + 1))
        #expect(first.read() == later + 1)
    }

    @Test func aTransactionThatEndsWhileAnotherIsUnderWayLeavesTheNumberOdd() throws {
        let (first, second) = (try file(), try file())
        let (odd, later) = (first.begin(), second.begin())
        #expect(!first.advance(from: odd, to: odd + 1))
        #expect(first.read() == later)
        #expect(second.advance(from: later, to: later + 1))
    }

    @Test(arguments: 0...7) func aFileThatIsTooShortHasNoNumberUntilOneIsWritten(count: Int) throws {
        let file = try file()
        try Data(repeating: 7, count: count).write(to: URL(fileURLWithPath: path), options: [])
        truncate(path, count)
        let other = try self.file()
        #expect(try #require(other.read()) & 1 == 0)
        truncate(path, count)
        #expect(file.read() == nil)
        #expect(file.begin() & 1 == 1)
        #expect(file.read() != nil)
    }

    @Test func aFileThatIsDeletedIsGone() throws {
        let file = try file()
        try FileManager.default.removeItem(atPath: path)
        #expect(file.isGone)
        #expect(file.read() != nil)
    }
}
