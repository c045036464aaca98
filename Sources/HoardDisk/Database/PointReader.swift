// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GRDB
import Hoard
import Synchronization

/// A connection for reading one record after another, with its statement prepared.
///
/// Beginning and ending a reading transaction costs as much as the search itself, for the locks that it takes in the file. So the transaction
/// is left open, and the next reading uses it again if nothing has been committed since; the generation tells (``GenerationFile``). A transaction
/// that is left open keeps the write-ahead log from being begun anew, so ``ReaderPool`` ends it soon.
final class PointReader {
    private let queue: DatabaseQueue
    private var row, lookUp, begin, commit: RawStatement?
    /// The generation of the transaction that is open.
    private var generation: UInt64?

    var hasOpenTransaction: Bool { generation != nil }

    init(_ queue: DatabaseQueue) throws {
        self.queue = queue
        // GRDB has opened and configured the connection and will close it. No other code uses it, and a lane's lock guards it.
        let statements = try queue.unsafeRead { db in
            ConnectionBound(value: try [RecordRow.query, DirectoryUpdate.query, "BEGIN", "COMMIT"].map { try RawStatement($0, on: db) })
        }.value
        (row, lookUp, begin, commit) = (statements[0], statements[1], statements[2], statements[3])
    }

    /// Looks a record's row up. `body` gets it where SQLite has it, `nil` if it is not there.
    ///
    /// - Parameter current: The generation, read before, if it is even and everything up to it is known.
    func withRow<Result>(
        of identifier: Int64,
        _ whereabouts: RecordIndex.Whereabouts,
        current: UInt64? = nil,
        _ body: (RecordRow?) throws -> Result
    ) throws -> Result {
        guard let row, let lookUp, let begin else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        if generation == nil || generation != current {
            endTransaction()
            if let current {
                try begin.run()
                generation = current
            }
        }
        do {
            switch whereabouts {
            case .at(let place): row.bind(place, at: 1)
            case .unknown: row.bind(try lookUp.place(of: identifier), at: 1)
            case .nowhere: return try body(nil)
            }
            let found = try row.step() ? RecordRow(row) : nil
            defer { row.reset() }
            return try body(found?.id == identifier ? found : nil)
        } catch {
            endTransaction()
            throw error
        }
    }

    /// Runs other queries, on the committed state.
    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        endTransaction()
        return try queue.unsafeRead { db in try body(db) }
    }

    func endTransaction() {
        guard generation != nil else { return }
        generation = nil
        try? commit?.run()
    }

    func close() {
        endTransaction()
        (row, lookUp, begin, commit) = (nil, nil, nil, nil)
        try? queue.close()
    }
}

/// Some readers, so that readings go on beside each other.
final class ReaderPool: Sendable {
    /// A reader, opened when it is first needed, and its lock.
    private final class Lane: Sendable {
        let reader = Mutex<ConnectionBound<PointReader>?>(nil)
    }

    private let lanes: [Lane]
    private let next = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)
    private let isEndScheduled = Atomic<Bool>(false)
    private let open: @Sendable () throws -> DatabaseQueue

    /// The time for which a reading transaction is left open at most.
    private static let openInterval = DispatchTimeInterval.milliseconds(50)

    init(count: Int, open: @escaping @Sendable () throws -> DatabaseQueue) {
        lanes = (0..<count).map { _ in Lane() }
        self.open = open
    }

    /// Runs `body` with a reader on the calling thread. The first lane that is free serves, so that few connections have the pages that are read most.
    /// Waits if all are busy.
    func withReader<Result>(_ body: (PointReader) throws -> Result) throws -> Result {
        for lane in lanes {
            if let result = try lane.reader.withLockIfAvailable({ reader in ConnectionBound(value: try run(&reader, body)) }) { return result.value }
        }
        let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
        return try lanes[abs(number % lanes.count)].reader.withLock { reader in ConnectionBound(value: try run(&reader, body)) }.value
    }

    private func run<Result>(_ reader: inout ConnectionBound<PointReader>?, _ body: (PointReader) throws -> Result) throws -> Result {
        guard !isClosed.load(ordering: .acquiring) else { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "The connection is closed.") }
        if let reader { return try body(reader.value) }
        let opened = try PointReader(open())
        reader = ConnectionBound(value: opened)
        return try body(opened)
    }

    /// Looks a record's row up, with the first reader that is free.
    func withRow<Result>(
        of identifier: Int64,
        _ whereabouts: RecordIndex.Whereabouts,
        current: UInt64?,
        _ body: (RecordRow?) throws -> Result
    ) throws -> Result {
        try withReader { reader in
            defer { if reader.hasOpenTransaction { scheduleEnd() } }
            return try reader.withRow(of: identifier, whereabouts, current: current, body)
        }
    }

    private func scheduleEnd() {
        if isEndScheduled.load(ordering: .relaxed) { return }
        guard !isEndScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.openInterval) { [weak self] in self?.endTransactions() }
    }

    /// Ends the transactions that are open for the next reading.
    ///
    /// Waits for no lane that is busy, perhaps for seconds with a check of the whole database: that has ended its transaction before, and a
    /// look-up sees to the end of its own.
    func endTransactions() {
        isEndScheduled.store(false, ordering: .releasing)
        for lane in lanes { _ = lane.reader.withLockIfAvailable { $0?.value.endTransaction() } }
    }

    /// Closes the connections once the readings under way are done. Blocks. Later readings fail with `SQLITE_MISUSE`.
    func close() {
        isClosed.store(true, ordering: .releasing)
        for lane in lanes {
            lane.reader.withLock { reader in
                reader?.value.close()
                reader = nil
            }
        }
    }
}
