// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// One of the five programs, run as a user runs it.
struct SeedProgram: CustomTestStringConvertible, Sendable {
    struct Result: Sendable {
        let status: Int32
        let output: String
        let errors: String
    }

    static let all = ["CacheManagement", "ImageHoard", "CustomViewClient", "TypedCache", "CachedResponses"].map(SeedProgram.init)

    let name: String

    var testDescription: String { name }

    /// The directory of the test bundle is that of the build's products.
    private var executable: URL {
        URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent().appendingPathComponent(name)
    }

    /// Runs the program to its end, in a directory that is empty at first.
    func run(in directory: TemporaryDirectory) async throws -> Result {
        let output = try directory.file("output")
        let errors = try directory.file("errors")
        let process = Process()
        process.executableURL = executable
        process.currentDirectoryURL = directory.url
        process.environment = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TMPDIR": try directory.subdirectory("tmp").path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output.handle
        process.standardError = errors.handle
        // Set before the start, so that no end is missed.
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            end.yield(process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
            end.finish()
        }
        try process.run()
        let status = await ends.first { _ in true } ?? -1
        return Result(
            status: status,
            output: try String(contentsOf: output.url, encoding: .utf8),
            errors: try String(contentsOf: errors.url, encoding: .utf8)
        )
    }
}

/// A directory for one test, removed with everything in it when the test is done.
final class TemporaryDirectory: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-seeds-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String) throws -> (url: URL, handle: FileHandle) {
        let file = url.appendingPathComponent(name)
        try Data().write(to: file)
        return (file, try FileHandle(forWritingTo: file))
    }

    func subdirectory(_ name: String) throws -> URL {
        let directory = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }
}
