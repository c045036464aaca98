// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Short content in memory that has no room for more, maybe behind the head that it belongs to.
///
/// A `ByteBuffer` takes a power of two of bytes, and some hundred for itself. A caller that wants one of this content gets a copy.
struct PackedContent: Sendable {
    /// Longer content is not kept in this form: copying it would cost more than the saved memory is worth.
    static let maximumByteCount = 16 << 10

    private let bytes: [UInt8]
    private let start: Int

    /// The bytes from `start` on.
    init(_ bytes: [UInt8], from start: Int) {
        self.bytes = bytes
        self.start = start
    }

    /// A copy.
    ///
    /// - Complexity: O(*n*) in the bytes.
    init(copying buffer: ByteBuffer) {
        self.init(Array(buffer.readableBytesView), from: 0)
    }

    var count: Int { bytes.count - start }

    @inline(__always)
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    /// A copy of all of it.
    ///
    /// - Complexity: O(*n*) in the bytes.
    var buffer: ByteBuffer { buffer(0..<count) }

    /// A copy of a part of it. The range must lie within.
    func buffer(_ range: Range<Int>) -> ByteBuffer {
        withUnsafeBytes { ByteBuffer(bytes: UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
}
