// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The text of an access trace, in parts, decompressed if it is gzip. What it is, its first bytes say, not its name.
final class TextSource {
    let file: FileSource
    private let name: String
    private var decoder: GzipDecoder?
    private var input: [UInt8]
    private var inputStart = 0
    private var inputEnd = 0
    private var hasStarted = false
    private var hasEnded = false

    private static let gzipMark: [UInt8] = [0x1f, 0x8b]

    /// - Parameter partByteCount: How many bytes to read at once. At least 2.
    init(path: String, name: String, partByteCount: Int) throws(AccessTraceError) {
        self.file = try FileSource(path: path)
        self.name = name
        self.input = Array(repeating: 0, count: max(2, partByteCount))
    }

    /// Fills the start of `part` with text and returns how many bytes it got; 0 at the end.
    ///
    /// - Parameter line: The line the reader is in, for messages.
    func read(into part: inout [UInt8], line: Int) throws(AccessTraceError) -> Int {
        if !hasStarted { try start(line: line) }
        while true {
            if inputStart == inputEnd, !hasEnded {
                inputStart = 0
                inputEnd = try file.read(into: &input)
                hasEnded = inputEnd == 0
            }
            guard let decoder else { return copyInput(to: &part) }
            if hasEnded {
                guard decoder.isAtEnd else {
                    throw AccessTraceError(.truncated, in: name, line: line, "the gzip data breaks off before its end.")
                }
                return 0
            }
            do {
                let (next, count) = try decoder.decode(input, from: inputStart, to: inputEnd, into: &part)
                inputStart = next
                if count > 0 { return count }
            } catch {
                throw AccessTraceError(.corrupt, in: name, line: line, "the gzip data is damaged.")
            }
        }
    }

    /// Reads the first bytes, which say whether the file is gzip.
    private func start(line: Int) throws(AccessTraceError) {
        hasStarted = true
        // A pipe may deliver the two bytes of the mark one by one.
        var beginning: [UInt8] = []
        while beginning.count < Self.gzipMark.count {
            let count = try file.read(into: &input)
            if count == 0 { break }
            beginning += input[..<count]
        }
        input.replaceSubrange(..<min(beginning.count, input.count), with: beginning)
        inputEnd = beginning.count
        guard beginning.starts(with: Self.gzipMark) else { return }
        do {
            decoder = try GzipDecoder()
        } catch {
            throw AccessTraceError(.corrupt, in: name, line: line, "there is no memory to decompress it.")
        }
    }

    private func copyInput(to part: inout [UInt8]) -> Int {
        let count = min(part.count, inputEnd - inputStart)
        part.replaceSubrange(..<count, with: input[inputStart..<inputStart + count])
        inputStart += count
        return count
    }
}
