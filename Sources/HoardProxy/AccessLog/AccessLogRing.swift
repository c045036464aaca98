// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardNIO
internal import Synchronization

/// A bounded buffer in which event loops leave their records for the writer. Records that find no room are counted and dropped, and no event loop waits.
///
/// Each thread has a part of its own, as in ``ProxyStatistics``. A part has two batches, one that is filled and one that is written, and they change places.
final class AccessLogRing: Sendable {
    /// How much a thread may leave before the writer has come.
    struct Limits: Sendable {
        var recordCount = 16_384
        var byteCount = 2 << 20
        /// So many records are written without waiting for others: longer pieces would keep an event loop waiting that shares the writer's core.
        var pieceCount = 256
    }

    private final class Part: Sendable {
        let batch = Mutex(AccessLogBatch())
    }

    private static let partCount = 64
    private let parts: [Part]
    private let limits: Limits

    init(limits: Limits = Limits()) {
        self.limits = limits
        parts = (0..<Self.partCount).map { _ in Part() }
    }

    /// Whether the writer should come.
    enum Urgency: Sendable {
        /// It has been told, or will be.
        case none
        /// There is something now.
        case soon
        /// There is a piece, or half of the room is taken.
        case now
    }

    /// Leaves a record. O(*n*) in the bytes of the request's head.
    func append(_ report: ExchangeReport, time: Double) -> Urgency {
        var record = AccessLogRecord(report, time: time)
        return parts[ThreadNumber.current & (Self.partCount - 1)].batch.withLock { batch in
            guard batch.records.count < limits.recordCount, batch.bytes.count < limits.byteCount else {
                batch.droppedCount += 1
                return .none
            }
            record.copyTexts(of: report, to: &batch.bytes)
            batch.records.append(record)
            if batch.records.count == 1 { return .soon }
            let count = batch.records.count
            return count == limits.pieceCount || count * 2 == limits.recordCount || isHalf(batch.bytes.count, after: record.byteCount) ? .now : .none
        }
    }

    /// Whether half of the bytes' room was passed with the last record.
    private func isHalf(_ count: Int, after added: Int) -> Bool {
        count * 2 >= limits.byteCount && (count - added) * 2 < limits.byteCount
    }

    /// Takes the records that all threads have left.
    ///
    /// - Parameter spare: An empty batch for each thread, to leave in the place of the taken ones; gets the taken ones.
    func take(into spare: inout [AccessLogBatch]) {
        while spare.count < parts.count { spare.append(AccessLogBatch()) }
        for (index, part) in parts.enumerated() {
            spare[index].removeAll()
            part.batch.withLock { batch in
                guard !batch.isEmpty else { return }
                swap(&batch, &spare[index])
            }
        }
    }
}
