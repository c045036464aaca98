// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// From a record's identifier to its row.
extension DatabaseSession {
    /// Where a record's row should be; `nil` if there is none. There may be none all the same, or that of another record. O(1), and a query until the index is complete.
    ///
    /// - Parameter lookUp: ``DirectoryUpdate/query`` on the caller's connection.
    func place(of identifier: Int64, _ lookUp: RawStatement) throws -> Int64? {
        switch memory.withLock({ $0.index.whereabouts(of: identifier) }) {
        case .at(let place): place
        case .nowhere: nil
        case .unknown: try lookUp.place(of: identifier)
        }
    }

    /// The number of times that a search waits 0.1 milliseconds for a transaction of this process that may have moved the record.
    private static let maximumWaitCount = 10_000

    /// Returns once the transaction of this process that is under way, if there is one, has been told to the index. Blocks.
    func waitForSettling() {
        let generation = readGeneration()
        guard generation.isCurrent, generation.current == nil, let under = self.generation?.read() else { return }
        for _ in 0..<Self.maximumWaitCount {
            guard self.generation?.read() == under else { return }
            usleep(100)
        }
    }

    /// Looks a record's row up for tools, which know nothing of the writes under way. `body` gets `nil` if it is not there. Blocks.
    ///
    /// Changes of other processes are not learned here.
    func withRow<Result>(of identifier: Int64, on reader: PointReader, _ body: (RecordRow?) throws -> Result) throws -> Result {
        var missed: RecordIndex.Whereabouts?
        for _ in 0..<Self.maximumWaitCount {
            let generation = readGeneration()
            let isCommitting = generation.isCurrent && generation.current == nil
            let whereabouts = memory.withLock { $0.index.whereabouts(of: identifier) }
            if whereabouts == missed, !isCommitting { break }
            let found: Result? = try reader.withRow(of: identifier, whereabouts) { row in try row.map { try body($0) } }
            if let found { return found }
            if whereabouts == .nowhere { break }
            if isCommitting {
                // Committed perhaps, and the index is yet to be told.
                usleep(100)
            } else {
                missed = whereabouts
            }
        }
        return try body(nil)
    }
}
