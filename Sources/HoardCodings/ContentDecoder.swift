// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Decodes content as it arrives, and undoes several codings at a time if there are several.
///
/// Memory stays flat however long the content is: 64 KiB and the window of each coding. An error is
/// final; each later call throws it again. Not for two threads at a time.
///
///     let decoder = try ContentDecoder(codings: [.gzip])
///     try decoder.decode(chunk) { part throws(CodingError) in … }
///     try decoder.finish()
package final class ContentDecoder {
    /// A stage, the memory it writes into, and the number of bytes it has written.
    struct Step {
        let stage: any DecodingStage
        let scratch: UnsafeMutableRawBufferPointer
        /// The part of the memory that the next stage has not read yet.
        var unread = 0..<0
        var producedByteCount = 0
    }

    /// The most codings of one content. More than two are never seen except in attacks, and each needs memory.
    package static let maximumCodingCount = 4
    package static let scratchByteCount = 64 << 10

    package let codings: [ContentCoding]
    package let limits: Limits
    /// In the order of decoding: the coding that was applied last comes first.
    var steps: [Step] = []
    /// The number of bytes that the first stage has read.
    var consumedByteCount = 0
    let dictionaryByteCount: Int
    var failure: CodingError?
    var isFinished = false

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - codings: The codings in the order of the field Content-Encoding, which is the order in
    ///     which they were applied. With none, content passes as it is.
    ///   - limits: The limits of size and growth.
    ///   - dictionary: Bytes that the content may refer to as if they stood before it (RFC 9842).
    ///     Only with one coding, Zstandard.
    /// - Throws: ``CodingError`` with the code `tooManyCodings`, `unsupportedCoding`,
    ///   `unsupportedDictionary` or `outOfMemory`.
    package init(codings: [ContentCoding], limits: Limits = Limits(), dictionary: [UInt8]? = nil) throws(CodingError) {
        self.codings = codings
        self.limits = limits
        self.dictionaryByteCount = dictionary?.count ?? 0
        guard codings.count <= Self.maximumCodingCount else {
            throw CodingError(
                .tooManyCodings,
                "The content has \(codings.count) content codings, one inside the other; at most \(Self.maximumCodingCount) are undone."
            )
        }
        guard dictionary == nil || codings.count == 1 else {
            throw CodingError(.unsupportedDictionary, "A dictionary needs exactly one content coding, not \(codings.count).")
        }
        for coding in codings.reversed() {
            let stage = try coding.makeDecoder(dictionary: dictionary)
            steps.append(Step(stage: stage, scratch: .allocate(byteCount: Self.scratchByteCount, alignment: MemoryLayout<UInt>.alignment)))
        }
    }

    deinit {
        for step in steps { step.scratch.deallocate() }
    }
}
