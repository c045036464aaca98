// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A reader of lines from a pipe that waits until a deadline.
struct LineReader {
    private let descriptor: CInt
    private var rest: [UInt8] = []
    private(set) var isAtEnd = false

    init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    func close() {
        closeDescriptor(descriptor)
    }

    /// Returns the complete lines that have come, as soon as there are some. Returns none at the deadline or the end.
    ///
    /// Drops a last line without an end: its writer has died, and half a line proves nothing.
    mutating func next(until deadline: ContinuousClock.Instant) -> [String] {
        while !isAtEnd {
            guard waitForBytes(until: deadline) else { return [] }
            var bytes = [UInt8](repeating: 0, count: 64 << 10)
            let count = read(descriptor, &bytes, bytes.count)
            if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            guard count > 0 else {
                isAtEnd = true
                return []
            }
            let complete = takeLines(adding: bytes[..<count])
            if !complete.isEmpty { return complete }
        }
        return []
    }

    private mutating func takeLines(adding bytes: ArraySlice<UInt8>) -> [String] {
        rest.append(contentsOf: bytes)
        guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        let lines = rest[..<end].split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        rest.removeSubrange(...end)
        return lines
    }

    /// Returns `false` at the deadline.
    private func waitForBytes(until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let left = deadline - .now
            let milliseconds = max(0, left / .milliseconds(1)).rounded(.up)
            var request = pollfd(descriptor: descriptor)
            let count = poll(&request, 1, CInt(min(milliseconds, 3_600_000)))
            if count > 0 { return true }
            if count < 0 && errno != EINTR { return true }
            if left <= .zero { return false }
        }
    }
}

extension pollfd {
    fileprivate init(descriptor: CInt) {
        self.init(fd: descriptor, events: Int16(POLLIN), revents: 0)
    }
}

private let closeDescriptor: @Sendable (CInt) -> Void = { descriptor in _ = close(descriptor) }
