// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DiskStore {
    /// Begins a record whose payload comes in pieces. Its length need not be known.
    ///
    /// Nothing of it is visible before ``RecordWriter/finish()`` has returned; until then the key's older record stays. A writer that is released or cancelled, and
    /// a process that dies, leave nothing behind. Does not suspend.
    ///
    /// - Parameter record: The record to write. Its payload is the first piece, and is usually empty.
    /// - Throws: ``StoreError/Code/keyTooLong``, ``StoreError/Code/recordTooLarge`` for its metadata, ``StoreError/Code/closed``.
    public func writer(forKey key: RecordKey, beginningWith record: Record) throws(StoreError) -> RecordWriter {
        try core.checkLength(of: key)
        guard RecordHeader.admits(record) else {
            throw StoreError(.recordTooLarge, "The record has more tags or metadata than a record may have.")
        }
        _ = try core.session()
        return RecordWriter(core: core, key: key, record: record)
    }
}

/// A writer of one record, piece by piece, in constant memory except for 8 bytes for each 128 KiB written, 16 in an encrypted store.
///
/// Use it from one task at a time.
public final class RecordWriter: Sendable {
    private struct FileInProgress {
        let writer: PayloadFileWriter
        let nonce: UInt64
        let session: DatabaseSession
        let cipher: RecordCipher?
    }

    private struct State {
        /// The bytes written so far, while they are few enough for the database.
        var start: Data
        var file: FileInProgress?
        var byteCount: Int
        var isOver = false
    }

    private let core: DiskCore
    private let key: RecordKey
    private let record: Record
    private let state: Mutex<State>

    init(core: DiskCore, key: RecordKey, record: Record) {
        self.core = core
        self.key = key
        var record = record
        state = Mutex(State(start: record.payload, byteCount: record.payload.count))
        record.payload = Data()
        self.record = record
    }

    /// The number of bytes that have been written.
    public var byteCount: Int { state.withLock { $0.byteCount } }

    /// Appends a piece. Works on the calling thread, which it blocks while the system takes the bytes. O(m).
    ///
    /// - Throws: ``StoreError/Code/full``; ``StoreError/Code/recordTooLarge`` as soon as the record is larger than the store may hold, and the key's older record is gone then;
    ///   ``StoreError/Code/closed`` after ``finish()``, ``cancel()`` or an error.
    public func write(_ piece: Data) async throws(StoreError) {
        let isTooLarge = try state.withLock { (state) throws(StoreError) in
            guard !state.isOver else { throw StoreError(.closed, "The record's writer has finished.") }
            state.byteCount += piece.count
            guard core.limits.admit(charge: state.byteCount) else {
                end(&state)
                return true
            }
            do throws(StoreError) {
                try append(piece, to: &state)
            } catch {
                end(&state)
                throw error
            }
            return false
        }
        if isTooLarge {
            try await core.refuse(key, "has more bytes than the \(core.configuration.name) store may hold")
        }
    }

    private func append(_ piece: Data, to state: inout State) throws(StoreError) {
        if state.file == nil {
            if state.byteCount <= core.configuration.maximumInlinePayloadBytes {
                state.start.append(piece)
                return
            }
            let session = try core.session()
            let cipher = try core.cipher(forPartition: record.partition, session)
            let nonce = UInt64.random(in: .min ... .max)
            let writer = try session.files.makeWriter(
                sealer: session.sealer(forFile: nonce, of: session.identify.identifier(of: key), cipher: cipher)
            )
            try writer.append(state.start)
            state.start = Data()
            state.file = FileInProgress(writer: writer, nonce: nonce, session: session, cipher: cipher)
        }
        try state.file?.writer.append(piece)
    }

    /// Finishes the record and makes it visible. Returns when it is committed. Suspends.
    ///
    /// - Throws: The errors of ``DiskStore/insert(_:forKey:)``.
    public func finish() async throws(StoreError) {
        let stored = try state.withLock { (state) throws(StoreError) -> StoredRecord? in
            guard !state.isOver else { throw StoreError(.closed, "The record's writer has finished.") }
            state.isOver = true
            guard let file = state.file else { return nil }
            state.file = nil
            let written = try file.writer.finish(synchronizing: core.configuration.synchronizesCommits)
            let header = RecordHeader(record, key: key, now: core.configuration.clock.now())
            return try core.stored(record, header, file.writer, nonce: file.nonce, written, file.session, cipher: file.cipher)
        }
        if let stored { return try await core.insert(stored, mode: .durable) }
        var whole = record
        whole.payload = state.withLock { exchange(&$0.start, with: Data()) }
        try await core.insert(core.stored(whole, key, core.session()), mode: .durable)
    }

    /// Discards the record and all its bytes. Does nothing once the writer has finished.
    public func cancel() {
        state.withLock { end(&$0) }
    }

    private func end(_ state: inout State) {
        guard !state.isOver else { return }
        state.isOver = true
        state.file?.writer.cancel()
        state.file = nil
        state.start = Data()
    }
}
