// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads ranges of one payload file, from any thread.
///
/// It holds the file open, so it works on after the file has been removed. In memory it holds the table of tags alone.
final class PayloadFileReader: Sendable {
    private let file: FileDescriptor
    private let layout: PayloadFileLayout
    private let tags: [UInt8]
    private let sealer: any ChunkSealer

    /// Opens a file and verifies its table and its footer, but no chunk.
    init(path: String, layout: PayloadFileLayout, root: UInt64, sealer: any ChunkSealer) throws(PayloadFileFault) {
        let file = try Self.open(path, layout: layout)
        guard let tail = UnfilledMemory(byteCount: layout.tailByteCount) else { throw .system(SystemCallError(ENOMEM)) }
        try Self.fill(tail.bytes, from: file, at: layout.byteCount)
        guard layout.accepts(tail: UnsafeRawBufferPointer(tail.bytes), root: root, sealer: sealer) else { throw .damaged }
        self.file = file
        self.layout = layout
        self.tags = Array(tail.bytes[..<layout.tableByteCount])
        self.sealer = sealer
    }

    /// The length of the payload.
    var byteCount: Int { layout.byteCount }

    /// The bytes of the payload in `range`, or those that there are; `nil` if a chunk that has some of them is damaged.
    ///
    /// Reads and verifies only the chunks that overlap the range. Ranges that begin and end where chunks do are read without a copy.
    func read(_ range: Range<Int>) throws(StoreError) -> Data? {
        let range = range.clamped(to: 0..<byteCount)
        return try PayloadFileLookup { () throws(PayloadFileFault) in try verifiedBytes(range) }.value
    }

    private func verifiedBytes(_ range: Range<Int>) throws(PayloadFileFault) -> Data {
        guard let output = UnfilledMemory(byteCount: range.count) else { throw .system(SystemCallError(ENOMEM)) }
        let indices = layout.chunks(overlapping: range)
        // At most the first and the last chunk lie partly outside the range. Between them the file is read in one step.
        let isWhole = { (index: Int) in range.covers(self.layout.chunk(index)) }
        if let first = indices.first(where: isWhole), let last = indices.last(where: isWhole) {
            let span = layout.chunk(first).lowerBound..<layout.chunk(last).upperBound
            try Self.fill(output.bytes[in: span, from: range.lowerBound], from: file, at: span.lowerBound)
        }
        for index in indices {
            let chunk = layout.chunk(index)
            if isWhole(index) {
                guard verify(output.bytes[in: chunk, from: range.lowerBound], index: index) else { throw .damaged }
                continue
            }
            guard let scratch = UnfilledMemory(byteCount: chunk.count) else { throw .system(SystemCallError(ENOMEM)) }
            try Self.fill(scratch.bytes, from: file, at: chunk.lowerBound)
            guard verify(scratch.bytes, index: index) else { throw .damaged }
            let part = chunk.clamped(to: range)
            output.bytes[in: part, from: range.lowerBound]
                .copyMemory(from: UnsafeRawBufferPointer(scratch.bytes[in: part, from: chunk.lowerBound]))
        }
        return output.data()
    }

    private func verify(_ chunk: UnsafeMutableRawBufferPointer, index: Int) -> Bool {
        tags.withUnsafeBytes { sealer.open(chunk, index: index, tag: UnsafeRawBufferPointer(rebasing: $0[layout.tag(index)])) }
    }
}

extension PayloadFileReader {
    /// The whole payload of a file, with every chunk verified, without a reader's detours.
    static func payload(path: String, layout: PayloadFileLayout, root: UInt64, sealer: any ChunkSealer) throws(PayloadFileFault) -> Data {
        let file = try open(path, layout: layout)
        guard let payload = UnfilledMemory(byteCount: layout.byteCount), let tail = UnfilledMemory(byteCount: layout.tailByteCount) else {
            throw .system(SystemCallError(ENOMEM))
        }
        let readCount: Int
        do throws(SystemCallError) {
            readCount = try file.read(into: payload.bytes, then: tail.bytes)
        } catch {
            throw .system(error)
        }
        guard readCount == layout.fileByteCount else { throw .damaged }
        let tailBytes = UnsafeRawBufferPointer(tail.bytes)
        guard layout.accepts(tail: tailBytes, root: root, sealer: sealer) else { throw .damaged }
        for index in 0..<layout.chunkCount {
            let chunk = UnsafeMutableRawBufferPointer(rebasing: payload.bytes[layout.chunk(index)])
            let tag = UnsafeRawBufferPointer(rebasing: tailBytes[layout.tag(index)])
            guard sealer.open(chunk, index: index, tag: tag) else { throw .damaged }
        }
        return payload.data()
    }

    /// Opens a file if it has the length that it must have. Nothing is allocated by a length that the file does not have.
    private static func open(_ path: String, layout: PayloadFileLayout) throws(PayloadFileFault) -> FileDescriptor {
        let file: FileDescriptor
        do throws(SystemCallError) {
            file = try FileDescriptor.reading(path, followingLinks: false)
        } catch {
            throw PayloadFileFault(opening: error)
        }
        let status: FileStatus
        do throws(SystemCallError) {
            status = try file.status()
        } catch {
            throw .system(error)
        }
        guard status.kind == .file, status.byteCount == layout.fileByteCount else { throw .damaged }
        return file
    }

    /// Fills `buffer` from the file. It is damage if the file ends before.
    private static func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        from file: borrowing FileDescriptor,
        at offset: Int
    ) throws(PayloadFileFault) {
        let readCount: Int
        do throws(SystemCallError) {
            readCount = try file.read(into: buffer, at: offset)
        } catch {
            throw .system(error)
        }
        guard readCount == buffer.count else { throw .damaged }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// The memory of a range of the payload, if this buffer begins with the payload's byte `start`.
    fileprivate subscript(in range: Range<Int>, from start: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: self[range.lowerBound - start..<range.upperBound - start])
    }
}

extension Range<Int> {
    fileprivate func covers(_ other: Range<Int>) -> Bool {
        lowerBound <= other.lowerBound && other.upperBound <= upperBound
    }
}
