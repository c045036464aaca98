// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes one payload into a temporary file, which goes with the writer unless it has been put in place.
///
/// Its memory is that of one chunk, and a tag for each chunk written. One thread uses it at a time; other threads wait for a lock meanwhile, which
/// is held while the disk works. The writer also holds a lock on the file, which tells a sweep that the file is still being written.
///
/// A call that fails gives the file up: it is removed, and every later call fails.
final class PayloadFileWriter: Sendable {
    /// The values that go into the record's row.
    struct Written: Hashable, Sendable {
        let byteCount: Int
        let root: UInt64
    }

    private enum Phase { case writing, finished, placed, givenUp }

    private struct State {
        var phase = Phase.writing
        var contents: PayloadFileContents
        var isSynchronized = false

        mutating func giveUp(_ path: String) {
            guard phase == .writing || phase == .finished else { return }
            phase = .givenUp
            // If this fails, a sweep finds the file once the writer has closed it.
            _ = try? FileSystem.removeFile(path)
        }
    }

    private let file: FileDescriptor
    private let path: String
    private let state: Mutex<State>

    /// - Parameters:
    ///   - file: An empty file, open for writing.
    ///   - path: The file's path until it is put in place.
    init(file: consuming FileDescriptor, path: String, sealer: any ChunkSealer) {
        self.file = file
        self.path = path
        state = Mutex(State(contents: PayloadFileContents(sealer: sealer)))
    }

    deinit { cancel() }

    /// Appends any number of bytes. Whole chunks are written from the caller's memory, the rest is kept until its chunk is full.
    ///
    /// - Throws: ``StoreError/Code/full`` if the disk or the quota is full, or the process may not write so long a file.
    func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        try changing { (state) throws(SystemCallError) in
            try state.contents.append(bytes, to: file)
        }
    }

    func append(_ bytes: Data) throws(StoreError) {
        try bytes.withBytes { (bytes) throws(StoreError) in try append(bytes) }
    }

    /// Writes the bytes that are still in memory, the table and the footer. Nothing can be appended afterwards.
    ///
    /// - Parameter synchronizing: Whether to wait until the file, and then its name, would survive a power failure.
    func finish(synchronizing: Bool) throws(StoreError) -> Written {
        try finish(UnsafeRawBufferPointer(start: nil, count: 0), synchronizing: synchronizing)
    }

    /// Appends a payload, or the rest of one, and finishes. A sealer that does not encrypt lets a whole payload be written in one step.
    func write(_ payload: Data, synchronizing: Bool) throws(StoreError) -> Written {
        try payload.withBytes { (bytes) throws(StoreError) in try finish(bytes, synchronizing: synchronizing) }
    }

    private func finish(_ bytes: UnsafeRawBufferPointer, synchronizing: Bool) throws(StoreError) -> Written {
        try changing { (state) throws(SystemCallError) in
            let root = try state.contents.close(bytes, to: file)
            if synchronizing { try file.synchronize() }
            state.isSynchronized = synchronizing
            state.phase = .finished
            return Written(byteCount: state.contents.byteCount, root: root)
        }
    }

    /// Gives the file up. Does nothing if it has been put in place.
    func cancel() {
        state.withLock { $0.giveUp(path) }
    }

    /// Lets `body` move the file away from its temporary path, and leaves it alone from then on. The file must be finished.
    ///
    /// If `body` fails, the file stays where it is, and the writer's.
    func place(_ body: (_ path: String, _ isSynchronized: Bool) throws(StoreError) -> Void) throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            guard state.phase != .givenUp else { throw Self.givenUp }
            precondition(state.phase == .finished, "A payload's file must be finished before it is put in place, and only once.")
            try body(path, state.isSynchronized)
            state.phase = .placed
        }
    }

    private func changing<Result: Sendable>(_ body: (inout State) throws(SystemCallError) -> Result) throws(StoreError) -> Result {
        try state.withLock { (state) throws(StoreError) in
            guard state.phase != .givenUp else { throw Self.givenUp }
            precondition(state.phase == .writing, "A payload's file has been finished, so nothing can be written to it.")
            do throws(SystemCallError) {
                return try body(&state)
            } catch {
                state.giveUp(path)
                throw .system(error.number, "write a payload")
            }
        }
    }

    private static var givenUp: StoreError {
        StoreError(.unavailable, "The payload cannot be written, because its file has been given up.")
    }
}

extension Data {
    /// Like `withUnsafeBytes`, with the error's type kept.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws(StoreError) -> Result) throws(StoreError) -> Result {
        try withUnsafeBytes { bytes in Swift.Result { () throws(StoreError) in try body(bytes) } }.get()
    }
}
