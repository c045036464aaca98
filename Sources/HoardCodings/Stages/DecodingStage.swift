// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A decoder of one format that writes into memory of the caller, step by step.
///
/// ``ContentDecoder`` pushes content through such stages; a reader of files pulls out of one. Not
/// for two threads at a time.
package protocol DecodingStage: AnyObject {
    /// The name of the format, for messages.
    var formatName: String { get }
    /// Whether the data may end here.
    var isAtEnd: Bool { get }

    /// Decodes input until it is used up or the output is full.
    ///
    /// After a step that fills the output there may be more without more input: then call again,
    /// also with empty input. A step that does neither, consume nor produce, wants more input.
    ///
    /// - Parameter output: Memory for the decoded bytes. At least one byte.
    func step(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(CodingError) -> (consumed: Int, produced: Int)

    /// Begins anew, with memory that is already there as far as the format allows it.
    func reset() throws(CodingError)
}
