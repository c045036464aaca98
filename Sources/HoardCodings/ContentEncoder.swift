// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Encodes content as it comes. The same content, cut and flushed in the same places, makes the
/// same output: gzip has no time and no system in its header.
///
/// An error is final; each later call throws it again. Not for two threads at a time.
///
///     let encoder = try ContentEncoder(coding: .gzip)
///     try encoder.encode(chunk) { part throws(CodingError) in … }
///     try encoder.finish { part throws(CodingError) in … }
package final class ContentEncoder {
    package let coding: ContentCoding
    private let stage: any EncodingStage
    private let scratch: UnsafeMutableRawBufferPointer
    private var failure: CodingError?
    private var isFinished = false

    private static let scratchByteCount = 64 << 10

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - level: How hard to try; the nearest of ``ContentCoding/levels`` counts. By default
    ///     ``ContentCoding/defaultLevel``.
    ///   - dictionary: Bytes that the output refers to as if they stood before it (RFC 9842). Only
    ///     with Zstandard.
    /// - Throws: ``CodingError`` with the code `unsupportedCoding`, `unsupportedDictionary` or `outOfMemory`.
    package init(coding: ContentCoding, level: Int? = nil, dictionary: [UInt8]? = nil) throws(CodingError) {
        self.coding = coding
        stage = try coding.makeEncoder(level: level, dictionary: dictionary)
        scratch = .allocate(byteCount: Self.scratchByteCount, alignment: MemoryLayout<UInt>.alignment)
    }

    deinit {
        scratch.deallocate()
    }

    /// Encodes the next part of the content.
    ///
    /// - Parameters:
    ///   - flush: Whether a decoder can restore all content so far from the bytes that have then been handed over.
    ///     Costs some bytes each time.
    ///   - output: Gets encoded bytes, at most 64 KiB at a time. They are valid only during the
    ///     call. An error that it throws is final, too.
    package func encode(
        _ input: UnsafeRawBufferPointer,
        flush: Bool = false,
        _ output: (UnsafeRawBufferPointer) throws(CodingError) -> Void
    ) throws(CodingError) {
        try run(input, flush ? .flush : .more, output)
    }

    /// Ends the content.
    package func finish(_ output: (UnsafeRawBufferPointer) throws(CodingError) -> Void) throws(CodingError) {
        try run(UnsafeRawBufferPointer(start: nil, count: 0), .finish, output)
        isFinished = true
    }

    /// Begins with another content, with the memory that is already there; only Brotli needs new
    /// memory. Forgets an error.
    package func reset() throws(CodingError) {
        (failure, isFinished) = (nil, false)
        do {
            try stage.reset()
        } catch {
            failure = error
            throw error
        }
    }

    private func run(
        _ input: UnsafeRawBufferPointer,
        _ request: EncodingRequest,
        _ output: (UnsafeRawBufferPointer) throws(CodingError) -> Void
    ) throws(CodingError) {
        if let failure { throw failure }
        guard !isFinished else {
            throw CodingError(.alreadyFinished, "The content has been finished: reset the encoder before it gets another.")
        }
        var rest = input
        do {
            while true {
                let (consumed, produced, isDone) = try stage.step(rest, request, into: scratch)
                rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
                if produced > 0 { try output(UnsafeRawBufferPointer(rebasing: scratch[..<produced])) }
                if isDone { return }
            }
        } catch {
            failure = error
            throw error
        }
    }
}
