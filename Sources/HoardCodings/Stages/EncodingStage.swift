// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// An encoder of one format that writes into memory of the caller, step by step. Not for two threads at a time.
protocol EncodingStage: AnyObject {
    /// Encodes input until it is used up and the request fulfilled, or the output is full.
    ///
    /// - Returns: Besides the counts of bytes, whether nothing is left to do; until then the caller
    ///   repeats the request with the rest of the input.
    func step(
        _ input: UnsafeRawBufferPointer,
        _ request: EncodingRequest,
        into output: UnsafeMutableRawBufferPointer
    ) throws(CodingError) -> (consumed: Int, produced: Int, isDone: Bool)

    /// Begins anew, with memory that is already there as far as the format allows it.
    func reset() throws(CodingError)
}

/// How much an encoder has to write.
enum EncodingRequest {
    /// As much as it likes.
    case more
    /// Enough for a decoder to restore all input so far.
    case flush
    /// Everything, and the end of the data.
    case finish
}
