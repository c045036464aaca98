// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardCodings

/// The bytes of an access trace, in parts, decompressed if they are gzip or zstd. Which of them, the first
/// bytes say, not the name.
final class TextSource {
    let file: FileSource
    private let name: String
    private var decoder: (any DecodingStage)?
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
    /// The largest window of zstd that is given memory: 128 MiB, as in libzstd unless it is told otherwise.
    private static let windowLog = 27

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
            let count: Int
            do {
                count = try decode(with: decoder, into: &part)
            } catch {
                throw self.error(error, decoder.formatName, place)
            }
            if count > 0 { return count }
            if hasEnded {
                guard decoder.isAtEnd else {
                    throw AccessTraceError(.truncated, in: name, at: place, "the \(decoder.formatName) data breaks off before its end.")
                }
                return 0
            }
        }
    }

    /// Decompresses input until `part` is full or the input is used up, and returns how many bytes there are.
    private func decode(with decoder: any DecodingStage, into part: inout [UInt8]) throws(CodingError) -> Int {
        let (consumed, produced) = try input[inputStart..<inputEnd].withUnsafeBufferPointer { input throws(CodingError) in
            try part.withUnsafeMutableBufferPointer { part throws(CodingError) in
                try decoder.step(UnsafeRawBufferPointer(input), into: UnsafeMutableRawBufferPointer(part))
            }
        }
        inputStart += consumed
        return produced
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
        guard let coding = Self.coding(of: beginning) else { return }
        do {
            decoder = try coding.makeDecoder(windowLog: Self.windowLog)
        } catch {
            throw self.error(error, coding.name, nil)
        }
    }

    private static func coding(of beginning: [UInt8]) -> ContentCoding? {
        if beginning.starts(with: gzipMark) { return .gzip }
        return beginning.starts(with: zstdMark) || isSkippable(beginning) ? .zstandard : nil
    }

    private static func isSkippable(_ beginning: [UInt8]) -> Bool {
        beginning.dropFirst().starts(with: zstdSkippableMark) && beginning.first.map { $0 & 0xf0 == 0x50 } == true
    }

    private func error(_ failure: CodingError, _ format: String, _ place: TracePlace?) -> AccessTraceError {
        switch failure.code {
        case .unsupportedCoding:
            AccessTraceError(
                .unsupportedCompression,
                in: name,
                at: place,
                "is compressed with \(format), which this build cannot read: decompress it with \(format) -dc and read that from a pipe."
            )
        case .windowTooLarge:
            AccessTraceError(
                .unsupportedCompression,
                in: name,
                at: place,
                "the \(format) data was compressed with a window of more than 128 MiB: decompress it first."
            )
        case .outOfMemory: AccessTraceError(.corrupt, in: name, at: place, "there is no memory to decompress it.")
        default: AccessTraceError(.corrupt, in: name, at: place, "the \(format) data is damaged.")
        }
    }

    private func copyInput(to part: inout [UInt8]) -> Int {
        let count = min(part.count, inputEnd - inputStart)
        part.replaceSubrange(..<count, with: input[inputStart..<inputStart + count])
        inputStart += count
        return count
    }
}
