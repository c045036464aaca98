// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation

/// The same work by plain files, one for each key: written beside, then renamed. Nothing is synchronized with the device.
struct FileSubject: Sendable {
    private let material: Material
    private let directory: String
    private let paths: [String]

    /// A directory that has a file for every key of the material. All of them have been read once.
    init(filled workspace: Workspace, _ material: Material) throws {
        let directory = try workspace.makeDirectory()
        self.directory = directory
        self.material = material
        paths = material.keys.indices.map { "\(directory)/\($0)" }
        _ = try set(Array(paths.indices))
        _ = try get(Array(paths.indices))
    }

    func subject(_ name: String = "file and rename", run: @escaping @Sendable (Int) async throws -> Timing) -> Subject {
        let directory = directory
        return Subject(name: name, run: run) { Workspace.remove(directory) }
    }

    // The measured loops.

    func get(_ order: [Int]) throws -> Timing {
        let start = monotonicNanoseconds()
        var sum: UInt64 = 0
        for number in order {
            guard let value = read(paths[number]) else { throw WrongResult("files", "one is missing") }
            sum &+= Material.mark(of: UnsafeRawBufferPointer(value))
            free(value.baseAddress)
        }
        let timing = Timing(nanoseconds: monotonicNanoseconds() - start, operations: order.count)
        guard sum == material.sum(of: order) else { throw WrongResult("files", "one has other content than was written") }
        return timing
    }

    func miss(_ order: [Int]) throws -> Timing {
        let paths = order.map { "\(directory)/absent-\($0)" }
        let start = monotonicNanoseconds()
        for path in paths {
            guard read(path) == nil else { throw WrongResult("files", "one is there that was never written") }
        }
        return Timing(nanoseconds: monotonicNanoseconds() - start, operations: order.count)
    }

    func set(_ order: [Int]) throws -> Timing {
        let temporary = directory + "/temporary"
        let start = monotonicNanoseconds()
        for number in order {
            let isWritten = material.payload(of: number).withUnsafeBytes { write($0, to: temporary) }
            guard isWritten, rename(temporary, paths[number]) == 0 else {
                throw WrongResult("files", "one cannot be written, error \(errno)")
            }
        }
        return Timing(nanoseconds: monotonicNanoseconds() - start, operations: order.count)
    }

    @inline(never)
    private func read(_ path: String) -> UnsafeMutableRawBufferPointer? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0, let copy = malloc(Int(facts.st_size)) else { return nil }
        let buffer = UnsafeMutableRawBufferPointer(start: copy, count: Int(facts.st_size))
        var done = 0
        while done < buffer.count {
            let count = pread(file, copy + done, buffer.count - done, off_t(done))
            guard count > 0 else {
                free(copy)
                return nil
            }
            done += count
        }
        return buffer
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to path: String) -> Bool {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Foundation.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        return close(file) == 0 && rest.isEmpty
    }
}
