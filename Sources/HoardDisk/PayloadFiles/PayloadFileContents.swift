// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The contents of a payload file that is being written: the part of the writing that knows the file's layout, but not its name.
struct PayloadFileContents: Sendable {
    private let sealer: any ChunkSealer
    /// The bytes behind the last whole chunk.
    private var rest: [UInt8] = []
    private var tags: [UInt8] = []
    private var chunkCount = 0
    /// The length of the chunks written.
    private(set) var byteCount = 0

    init(sealer: any ChunkSealer) {
        self.sealer = sealer
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer, to file: borrowing FileDescriptor) throws(SystemCallError) {
        let bytes = try completeRest(bytes, to: file)
        guard rest.isEmpty else { return }
        let wholeByteCount = bytes.count - bytes.count % PayloadFileLayout.chunkByteCount
        try write(UnsafeRawBufferPointer(rebasing: bytes[..<wholeByteCount]), to: file)
        keep(UnsafeRawBufferPointer(rebasing: bytes[wholeByteCount...]))
    }

    /// Appends the last bytes of the payload, and writes all that is missing from the file. Returns the root.
    mutating func close(_ bytes: UnsafeRawBufferPointer, to file: borrowing FileDescriptor) throws(SystemCallError) -> UInt64 {
        let bytes = try completeRest(bytes, to: file)
        guard !rest.isEmpty else { return try writeEnd(bytes, to: file) }
        let last = exchange(&rest, with: [])
        return try last.withBytes { (last) throws(SystemCallError) in try writeEnd(last, to: file) }
    }

    /// Adds as much of `bytes` to the rest as it lacks, and writes it if it is a whole chunk then. Returns the bytes that follow.
    private mutating func completeRest(
        _ bytes: UnsafeRawBufferPointer,
        to file: borrowing FileDescriptor
    ) throws(SystemCallError) -> UnsafeRawBufferPointer {
        guard !rest.isEmpty else { return bytes }
        let addedCount = min(PayloadFileLayout.chunkByteCount - rest.count, bytes.count)
        keep(UnsafeRawBufferPointer(rebasing: bytes[..<addedCount]))
        if rest.count == PayloadFileLayout.chunkByteCount {
            var chunk = exchange(&rest, with: [])
            try chunk.withBytes { (chunk) throws(SystemCallError) in try write(chunk, to: file) }
            chunk.removeAll(keepingCapacity: true)
            rest = chunk
        }
        return UnsafeRawBufferPointer(rebasing: bytes[addedCount...])
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        if rest.capacity < PayloadFileLayout.chunkByteCount { rest.reserveCapacity(PayloadFileLayout.chunkByteCount) }
        rest.append(contentsOf: bytes)
    }

    private mutating func writeEnd(_ bytes: UnsafeRawBufferPointer, to file: borrowing FileDescriptor) throws(SystemCallError) -> UInt64 {
        let unwritten = try seal(bytes, to: file)
        // The length is that of memory that exists, and of a file that holds it.
        guard let layout = PayloadFileLayout(byteCount: byteCount, tagByteCount: sealer.tagByteCount) else { throw .tooLong }
        precondition(tags.count == layout.tableByteCount, "A sealer must append exactly one tag for each chunk.")
        let root = tags.withUnsafeBytes { sealer.root(tags: $0, byteCount: byteCount) }
        tags += layout.footer
        try tags.withBytes { (tail) throws(SystemCallError) in try file.write(unwritten, then: tail) }
        return root
    }

    private mutating func write(_ bytes: UnsafeRawBufferPointer, to file: borrowing FileDescriptor) throws(SystemCallError) {
        try file.write(seal(bytes, to: file))
    }

    /// Seals `bytes` chunk by chunk and writes the chunks that are to be written otherwise than they are here. Returns the bytes at the end
    /// that are still to be written: all of them, unless the sealer encrypts.
    private mutating func seal(
        _ bytes: UnsafeRawBufferPointer,
        to file: borrowing FileDescriptor
    ) throws(SystemCallError) -> UnsafeRawBufferPointer {
        var unwrittenStart = 0
        var offset = 0
        while offset < bytes.count {
            let end = min(offset + PayloadFileLayout.chunkByteCount, bytes.count)
            if let sealed = sealer.seal(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]), index: chunkCount, tags: &tags) {
                precondition(sealed.count == end - offset, "A sealed chunk must be as long as the chunk.")
                let before = UnsafeRawBufferPointer(rebasing: bytes[unwrittenStart..<offset])
                try sealed.withUnsafeBytes { bytes in
                    Result { () throws(SystemCallError) in try file.write(before, then: bytes) }
                }.get()
                unwrittenStart = end
            }
            chunkCount += 1
            byteCount += end - offset
            offset = end
        }
        return UnsafeRawBufferPointer(rebasing: bytes[unwrittenStart...])
    }
}

extension SystemCallError {
    /// The system's error for a file that it cannot hold.
    fileprivate static var tooLong: SystemCallError { SystemCallError(EFBIG) }
}

extension [UInt8] {
    /// Like `withUnsafeBytes`, with the error's type kept.
    fileprivate func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws(SystemCallError) -> Result) throws(SystemCallError) -> Result {
        try withUnsafeBytes { bytes in Swift.Result { () throws(SystemCallError) in try body(bytes) } }.get()
    }
}
