// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Standard input as a file, for input that has to be read several times.
struct SpooledInput {
    let path: String

    /// Copies standard input to its end into a file that its owner alone can read.
    init() throws(OutputError) {
        path = FileManager.default.temporaryDirectory.path + "/hoard-advise-\(UUID().uuidString)"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.error("create \(path)") }
        defer { close(descriptor) }
        do throws(OutputError) {
            try Self.copy(to: descriptor, name: path)
        } catch {
            unlink(path)
            throw error
        }
    }

    private static func copy(to descriptor: Int32, name: String) throws(OutputError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = read(STDIN_FILENO, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw error("read standard input") }
            if count == 0 { return }
            try FileOutput.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: descriptor, name: name)
        }
    }

    private static func error(_ action: String) -> OutputError {
        OutputError(description: "Cannot \(action): \(String(cString: strerror(errno))).", isBrokenPipe: false)
    }

    func remove() { unlink(path) }
}
