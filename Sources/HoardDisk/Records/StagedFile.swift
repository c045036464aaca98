// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Synchronization

/// A payload file between its writing and the commit of its row.
final class StagedFile: Sendable {
    private enum State {
        case written(PayloadFileWriter)
        case placed(PayloadFileName)
        case discarded
    }

    /// The number that distinguishes the file from others of its record.
    let nonce: UInt64
    private let state: Mutex<State>

    init(_ writer: PayloadFileWriter, nonce: UInt64) {
        self.nonce = nonce
        state = Mutex(.written(writer))
    }

    /// Puts the file where its row will say it is. Call inside the transaction that writes the row. A transaction that is tried again finds it in place.
    func place(in files: PayloadFiles, id: Int64) throws(StoreError) {
        let name = PayloadFileName(id: id, nonce: nonce)
        try state.withLock { (state) throws(StoreError) in
            switch state {
            case .written(let writer):
                try files.place(writer, as: name)
                state = .placed(name)
            case .placed(let placed) where placed == name:
                // Since the transaction that failed, another process may have found the file without a row, and deleted it.
                guard files.hasFile(name) else { throw StoreError(.unavailable, "The payload's file was deleted before its record was committed.") }
            case .placed, .discarded:
                throw StoreError(.unavailable, "The payload's file belongs to a database that has been replaced.")
            }
        }
    }

    /// Deletes the file, wherever it is. Its row was not committed.
    func discard(from files: PayloadFiles) {
        state.withLock { state in
            switch state {
            case .written(let writer): writer.cancel()
            case .placed(let name): try? files.remove(name)
            case .discarded: break
            }
            state = .discarded
        }
    }
}
