// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Standard input or a pipe as a file, for input that has to be read several times.
struct SpooledInput {
    /// Where the copy can be opened, as often as wanted.
    let path: String
    let byteCount: Int
    /// The source's name for messages.
    let title: String
    private let name: String
    private let descriptor: Int32

    /// Whether a path leads to what can be read only once, such as `<(zcat access.log.gz)` of a shell.
    static func isNeeded(for source: String) -> Bool { source == "-" || FileOutput.isPipeOrDevice(source) }

    /// Copies it to its end into a file that its owner alone can read.
    ///
    /// - Parameter source: A path; `-` is standard input.
    init(_ source: String) throws(OutputError) {
        title = source == "-" ? "standard input" : source
        let input = source == "-" ? STDIN_FILENO : open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw Self.error("read \(source)") }
        defer { if input != STDIN_FILENO { close(input) } }
        name = FileManager.default.temporaryDirectory.path + "/hoard-advise-\(UUID().uuidString)"
        descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.error("create \(name)") }
        // Where an open file can be opened anew without its name, it needs none: nothing is left of it, however the process ends.
        let link = "/proc/self/fd/\(descriptor)"
        path = access(link, R_OK) == 0 ? link : name
        if path != name { unlink(name) }
        do throws(OutputError) {
            byteCount = try Self.copy(input, title, to: descriptor, name: name)
        } catch {
            close(descriptor)
            unlink(name)
            throw error
        }
    }

    /// - Returns: The number of bytes.
    private static func copy(_ input: Int32, _ inputName: String, to descriptor: Int32, name: String) throws(OutputError) -> Int {
        var sum = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = read(input, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw error("read \(inputName)") }
            if count == 0 { return sum }
            try FileOutput.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: descriptor, name: name)
            sum += count
        }
    }

    private static func error(_ action: String) -> OutputError {
        OutputError(description: "Cannot \(action): \(String(cString: strerror(errno))).", isBrokenPipe: false)
    }

    func remove() {
        close(descriptor)
        unlink(name)
    }
}
