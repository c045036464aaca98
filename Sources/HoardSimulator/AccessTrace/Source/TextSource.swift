// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The bytes of an access trace, in parts, decompressed if they are gzip or zstd. Which of them, the first
/// bytes say, not the name.
final class TextSource {
    let file: FileSource
    private let name: String
    private var decoder: (any TraceDecompressor)?
    private var input: [UInt8]
    private var inputStart = 0
    private var inputEnd = 0
    private var hasStarted = false
    private var hasEnded = false

    private static let gzipMark: [UInt8] = [0x1f, 0x8b]
    private static let zstdMark: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd]
    /// Behind a byte from 0x50 to 0x5f: a frame to skip, with which some programs let zstd data begin.
    private static let zstdSkippableMark: [UInt8] = [0x2a, 0x4d, 0x18]
    private static let longestMarkByteCount = 4

    /// - Parameter partByteCount: How many bytes to read at once. At least 4.
    init(path: String, name: String, partByteCount: Int) throws(AccessTraceError) {
        self.file = try FileSource(path: path)
        self.name = name
        self.input = Array(repeating: 0, count: max(Self.longestMarkByteCount, partByteCount))
    }

    /// Fills the start of `part` with bytes and returns how many it got; 0 at the end.
    ///
    /// - Parameter place: Where the reader is, for messages.
    func read(into part: inout [UInt8], at place: TracePlace? = nil) throws(AccessTraceError) -> Int {
        if !hasStarted { try start() }
        while true {
            if inputStart == inputEnd, !hasEnded {
                inputStart = 0
                inputEnd = try file.read(into: &input)
                hasEnded = inputEnd == 0
            }
            guard let decoder else { return copyInput(to: &part) }
            do {
                let (next, count) = try decoder.decode(input, from: inputStart, to: inputEnd, into: &part)
                inputStart = next
                if count > 0 { return count }
            } catch {
                throw self.error(error, type(of: decoder).formatName, place)
            }
            if hasEnded {
                guard decoder.isAtEnd else {
                    throw AccessTraceError(.truncated, in: name, at: place, "the \(type(of: decoder).formatName) data breaks off before its end.")
                }
                return 0
            }
        }
    }

    /// Reads the first bytes, which say whether the file is compressed.
    private func start() throws(AccessTraceError) {
        hasStarted = true
        // A pipe may deliver the bytes of the mark one by one.
        var beginning: [UInt8] = []
        while beginning.count < Self.longestMarkByteCount {
            let count = try file.read(into: &input)
            if count == 0 { break }
            beginning += input[..<count]
        }
        input.replaceSubrange(..<min(beginning.count, input.count), with: beginning)
        inputEnd = beginning.count
        if beginning.starts(with: Self.gzipMark) {
            decoder = try start { () throws(DecompressionFailure) in try GzipDecoder() }
        } else if beginning.starts(with: Self.zstdMark) || Self.isSkippable(beginning) {
            #if Zstandard && os(Linux)
                decoder = try start { () throws(DecompressionFailure) in try ZstdDecoder() }
            #else
                throw AccessTraceError(
                    .unsupportedCompression,
                    in: name,
                    "is compressed with zstd, which this build cannot read: decompress it with zstd -dc and read that from a pipe."
                )
            #endif
        }
    }

    private func start(_ make: () throws(DecompressionFailure) -> any TraceDecompressor) throws(AccessTraceError) -> any TraceDecompressor {
        do {
            return try make()
        } catch {
            throw self.error(error, "compressed", nil)
        }
    }

    private static func isSkippable(_ beginning: [UInt8]) -> Bool {
        beginning.dropFirst().starts(with: zstdSkippableMark) && beginning.first.map { $0 & 0xf0 == 0x50 } == true
    }

    private func error(_ failure: DecompressionFailure, _ format: String, _ place: TracePlace?) -> AccessTraceError {
        switch failure {
        case .corrupt: AccessTraceError(.corrupt, in: name, at: place, "the \(format) data is damaged.")
        case .outOfMemory: AccessTraceError(.corrupt, in: name, at: place, "there is no memory to decompress it.")
        case .windowTooLarge:
            AccessTraceError(
                .unsupportedCompression,
                in: name,
                at: place,
                "the \(format) data was compressed with a window of more than 128 MiB: decompress it first."
            )
        }
    }

    private func copyInput(to part: inout [UInt8]) -> Int {
        let count = min(part.count, inputEnd - inputStart)
        part.replaceSubrange(..<count, with: input[inputStart..<inputStart + count])
        inputStart += count
        return count
    }
}
