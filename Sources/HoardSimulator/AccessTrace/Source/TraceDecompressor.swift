// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Decompresses the bytes of a file part by part.
protocol TraceDecompressor: AnyObject {
    /// The name of the compression, for messages.
    static var formatName: String { get }
    /// Whether the data may end here.
    var isAtEnd: Bool { get }

    /// Decompresses `input` from `start` to `end` until `output` is full or the input is used up.
    ///
    /// - Returns: Where in the input to go on, and how many bytes of output there are.
    func decode(_ input: [UInt8], from start: Int, to end: Int, into output: inout [UInt8]) throws(DecompressionFailure) -> (next: Int, count: Int)
}

/// Why data could not be decompressed.
enum DecompressionFailure: Error {
    case corrupt, outOfMemory
    /// It asks for more memory than is given to it.
    case windowTooLarge
}
