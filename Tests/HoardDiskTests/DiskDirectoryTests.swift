// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

@Suite struct DiskDirectoryTests {
    private let workspace: Workspace
    private let directory: DiskDirectory

    init() throws {
        workspace = try Workspace()
        directory = try DiskDirectory(path: workspace.directory)
        try directory.prepare(creating: true)
    }

    private func contents(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: directory.path(of: name))), as: UTF8.self)
    }

    @Test(arguments: [("/a/b", "/a/b/x"), ("/a/b///", "/a/b/x"), ("/", "/x"), ("a", "a/x")])
    func slashesAtTheEndOfThePathDoNotMatter(path: String, file: String) throws {
        #expect(try DiskDirectory(path: path).path(of: "x") == file)
    }

    @Test func allFilesOfADamagedDatabaseGoAsideTogether() throws {
        let suffixes = ["", "-wal", "-shm", "-journal"]
        for suffix in suffixes {
            try Data("of \(suffix)".utf8).write(to: URL(fileURLWithPath: directory.databasePath + suffix))
        }
        let destination = try directory.setDatabaseAside(at: ManualClock.start)
        #expect(destination == directory.path(of: "hoard.sqlite.corrupt-20261121T030405Z"))
        for suffix in suffixes {
            #expect(try contents("hoard.sqlite.corrupt-20261121T030405Z\(suffix)") == "of \(suffix)")
        }
        #expect(try workspace.files().count == 4)
    }

    @Test func twoDatabasesOfOneSecondGetTwoNames() throws {
        for text in ["first", "second"] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: directory.databasePath))
            _ = try directory.setDatabaseAside(at: ManualClock.start)
        }
        #expect(try contents("hoard.sqlite.corrupt-20261121T030405Z") == "first")
        #expect(try contents("hoard.sqlite.corrupt-20261121T030405Z-2") == "second")
    }

    @Test func onlyTheLatestDamagedDatabasesAreKept() throws {
        for number in 1...6 {
            for suffix in ["", "-wal"] {
                try Data("\(number)".utf8).write(to: URL(fileURLWithPath: directory.databasePath + suffix))
            }
            let destination = try directory.setDatabaseAside(at: ManualClock.start + Double(number))
            let date = ManualClock.start + Double(number)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: destination)
        }
        let kept = try workspace.files().filter { !$0.hasSuffix("-wal") }
        #expect(try kept.map(contents) == ["4", "5", "6"])
        #expect(try workspace.files().count == 6)
    }

    @Test func theDatabaseFileIsCreatedOnceAndKeepsItsIdentity() throws {
        #expect(directory.databaseIdentity == nil)
        #expect(try directory.databaseByteCount() == nil)
        try directory.createDatabaseFile()
        let identity = try #require(directory.databaseIdentity)
        try Data("text".utf8).append(to: directory.databasePath)
        try directory.createDatabaseFile()
        #expect(directory.databaseIdentity == identity)
        #expect(try directory.databaseByteCount() == 4)
        _ = try directory.setDatabaseAside(at: ManualClock.start)
        try directory.createDatabaseFile()
        #expect(directory.databaseIdentity != identity)
    }

    @Test func theLockIsHeldByOneAtATimeAndGivenBack() async throws {
        let directory = directory
        let inside = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try directory.whileLocked(creating: true) { () throws(StoreError) in
                        #expect(inside.increment() == 1)
                        inside.add(-1)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try workspace.mode(of: directory.path(of: "hoard.lock")) == 0o600)
    }

    @Test func theLockIsGivenBackWhenTheWorkFails() throws {
        for _ in 0..<2 {
            #expect(throws: StoreError.self) {
                try directory.whileLocked(creating: true) { () throws(StoreError) in throw StoreError(.full, "Full.") }
            }
        }
    }
}

extension Data {
    fileprivate func append(to path: String) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: self)
        try handle.close()
    }
}
