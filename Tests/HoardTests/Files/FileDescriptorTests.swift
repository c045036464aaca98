// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import Testing

@testable import Hoard

@Suite struct FileDescriptorTests {
    private let root: TemporaryDirectory

    init() throws { root = try TemporaryDirectory() }

    private func number(of body: () throws(SystemCallError) -> Void) -> Int32? {
        do throws(SystemCallError) {
            try body()
            return nil
        } catch {
            return error.number
        }
    }

    @Test(arguments: [0, 1, 4, 5, 100])
    func readingEndsAtTheCountOrTheEndOfTheFile(count: Int) throws {
        try root.write([1, 2, 3, 4, 5], to: "a")
        let file = try FileDescriptor.reading(root.path(of: "a"))
        #expect(try file.read(count) == Array([1, 2, 3, 4, 5].prefix(count)))
        #expect(try file.read(100) == Array([1, 2, 3, 4, 5].dropFirst(count)))
        #expect(try file.read(100).isEmpty)
    }

    @Test func countBelowZeroReadsNothing() throws {
        try root.write([1], to: "a")
        #expect(try FileDescriptor.reading(root.path(of: "a")).read(-1).isEmpty)
    }

    @Test func kindsAreToldApart() throws {
        try root.write([1, 2, 3], to: "file")
        try root.makeDirectory("directory")
        try FileManager.default.createSymbolicLink(atPath: root.path(of: "link"), withDestinationPath: "file")
        let directory = try FileDescriptor.directory(root.path)
        #expect(try directory.kind() == .directory)
        #expect(try directory.kind(ofEntry: "file") == .file)
        #expect(try directory.kind(ofEntry: "directory") == .directory)
        #expect(try directory.kind(ofEntry: "link") == .symbolicLink)
        #expect(try directory.kind(ofEntry: "nothing") == nil)
        #expect(try FileDescriptor.reading("/dev/null").kind() == .other)
        let link = try FileDescriptor.reading(root.path(of: "link"))
        #expect(try link.kind() == .file)
        #expect(try link.byteCount() == 3)
    }

    @Test func failuresTellTheSystemsNumberAndSentence() throws {
        #expect(number { () throws(SystemCallError) in _ = try FileDescriptor.reading(root.path(of: "nothing")) } == ENOENT)
        try root.write([], to: "file")
        #expect(number { () throws(SystemCallError) in _ = try FileDescriptor.directory(root.path(of: "file")) } == ENOTDIR)
        #expect(SystemCallError(ENOENT).isNotFound)
        #expect(!SystemCallError(ENOTDIR).isNotFound)
        #expect(SystemCallError(ENOSPC).description.contains("space"))
    }

    @Test func createdFileBelongsToItsOwnerAndIsNotCreatedTwice() throws {
        let directory = try FileDescriptor.directory(root.path)
        let file = try directory.createFile("new")
        try file.write([1, 2])
        try file.write([])
        try file.write([3])
        try file.synchronize()
        try file.closeReportingErrors()
        #expect(try root.bytes(of: "new") == [1, 2, 3])
        #expect(try root.mode(of: "new") == 0o600)
        #expect(number { () throws(SystemCallError) in _ = try directory.createFile("new") } == EEXIST)
    }

    @Test func entriesAreRenamedAndRemoved() throws {
        try root.write([1], to: "a")
        let directory = try FileDescriptor.directory(root.path)
        try directory.renameEntry("a", to: "b")
        #expect(try root.names() == ["b"])
        try directory.removeFile("b")
        try directory.synchronizeDirectory()
        #expect(try root.names().isEmpty)
        #expect(number { () throws(SystemCallError) in try directory.removeFile("b") } == ENOENT)
        #expect(number { () throws(SystemCallError) in try directory.renameEntry("b", to: "c") } == ENOENT)
    }

    @Test func descriptorsAreClosed() throws {
        // These are more descriptors than a process may have open at once by default.
        for _ in 0..<5000 { _ = try FileDescriptor.directory(root.path).kind() }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "There is no /dev/full.")) func fullDeviceIsAnError() throws {
        let device = try FileDescriptor.writing("/dev/full")
        #expect(number { () throws(SystemCallError) in try device.write([1]) } == ENOSPC)
    }
}
