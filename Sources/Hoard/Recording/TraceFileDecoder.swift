// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Reads the file of a recording, whose bytes may come in any pieces.
package struct TraceFileDecoder: Sendable {
    /// `nil` until enough bytes have come.
    package private(set) var header: TraceFileHeader?
    /// The number of accesses that the recorder has lost, so far.
    package private(set) var lost = 0
    /// The number of bytes that have been decoded.
    package private(set) var position = 0
    private var pending: [UInt8] = []
    private var block = TraceBlockDecoder()

    package init() {}

    /// Takes the next bytes, and hands out the events of the blocks that they complete.
    ///
    /// - Throws: ``TraceFileFault``, of the bytes at ``position``.
    package mutating func decode(_ bytes: some Collection<UInt8>, _ body: (TraceEvent) -> Void) throws(TraceFileFault) {
        pending += bytes
        var start = 0
        defer {
            pending.removeFirst(start)
            position += start
        }
        if header == nil {
            guard pending.count >= TraceFileHeader.byteCount else {
                if !TraceFileHeader.magic.starts(with: pending.prefix(TraceFileHeader.magic.count)) { throw .foreign }
                return
            }
            header = try TraceFileHeader(decoding: pending[...])
            start = TraceFileHeader.byteCount
        }
        while pending.count - start >= TraceBlock.headerByteCount {
            let header = try TraceBlockDecoder.Header(decoding: pending[start...])
            let end = start + TraceBlock.headerByteCount + header.byteCount
            guard end <= pending.count else { return }
            try block.decode(pending[(start + TraceBlock.headerByteCount)..<end], header, body)
            lost += header.lost
            start = end
        }
    }

    /// Says that no more bytes come.
    ///
    /// - Throws: ``TraceFileFault/truncated`` if they end inside of something, as after a crash.
    package func finish() throws(TraceFileFault) {
        if header == nil || !pending.isEmpty { throw .truncated }
    }
}
