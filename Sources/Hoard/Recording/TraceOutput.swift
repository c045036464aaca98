// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Writes what the collector has gathered.
final class TraceOutput: Sendable {
    private struct State: ~Copyable {
        #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
            var files: TraceFiles?
        #endif
        var encoder: TraceBlockEncoder
        var statistics = CacheTraceRecorder.Statistics()
        var unreportedLosses = 0
    }

    private struct Drains {
        var next = 0
        var functions: [Int: @Sendable () -> Void] = [:]
    }

    private let collector: TraceCollector
    private let path: String
    /// Held while files are written.
    private let state: Mutex<State>
    private let drains = Mutex(Drains())

    init(
        path: String,
        configuration: CacheTraceRecorder.Configuration,
        header: TraceFileHeader,
        collector: TraceCollector
    ) throws(CacheTraceError) {
        self.path = path
        self.collector = collector
        #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
            do throws(SystemCallError) {
                try TraceFiles.makeWay(at: path, fileCount: max(1, configuration.fileCount))
                let maximumByteCount = max(1 << 16, configuration.maximumFileByteCount)
                let files = try TraceFiles(
                    path: path,
                    maximumByteCount: maximumByteCount,
                    fileCount: max(1, configuration.fileCount),
                    header: header
                )
                state = Mutex(State(files: files, encoder: TraceBlockEncoder(usualByteCount: min(1 << 18, maximumByteCount / 8))))
            } catch {
                if error.isOccupied { throw CacheTraceError(.occupied, "\(path) is there already, and is no recording. Choose another path.") }
                throw CacheTraceError(.io, "The recording \(path) cannot be written: \(error).")
            }
        #else
            throw CacheTraceError(.unsupported, "There are no files on this platform to record into.")
        #endif
    }

    @discardableResult
    func addDrain(_ drain: @escaping @Sendable () -> Void) -> Int {
        drains.withLock { drains in
            drains.next += 1
            drains.functions[drains.next] = drain
            return drains.next
        }
    }

    func removeDrain(_ number: Int) {
        // It is let go of outside the lock.
        _ = drains.withLock { $0.functions.removeValue(forKey: number) }
    }

    var statistics: CacheTraceRecorder.Statistics {
        state.withLock { $0.statistics }
    }

    func throwFailure() throws(CacheTraceError) {
        if let failure = statistics.failure { throw CacheTraceError(.io, failure) }
    }

    /// Writes what has been gathered.
    func flush() {
        for drain in drains.withLock({ Array($0.functions.values) }) { drain() }
        state.withLock { write(&$0) }
    }

    /// Writes what has been gathered, and closes the file.
    func close() {
        flush()
        collector.close()
        drains.withLock { $0.functions.removeAll() }
        state.withLock { state in
            #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
                state.files = nil
            #endif
        }
    }

    private func write(_ state: inout State) {
        let (order, lost) = collector.drain()
        state.statistics.lost += lost
        state.unreportedLosses += lost
        collector.forEachEvent(in: order) { event in
            if state.encoder.count == 0 { beginBlock(&state) }
            state.encoder.append(event)
            if state.encoder.isFull { writeBlock(&state) }
        }
        if state.encoder.count > 0 { writeBlock(&state) }
    }

    private func beginBlock(_ state: inout State) {
        #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
            do throws(SystemCallError) {
                if try state.files?.makeRoom(for: state.encoder.maximumByteCount) == true { state.encoder.beginAnew() }
            } catch {
                fail(error, &state)
            }
        #endif
    }

    private func writeBlock(_ state: inout State) {
        let count = state.encoder.count
        let block = state.encoder.take(lost: UInt32(clamping: state.unreportedLosses))
        if append(block, &state) {
            state.statistics.written += count
            state.unreportedLosses = 0
        } else {
            state.statistics.lost += count
        }
    }

    /// - Returns: Whether the block was written.
    private func append(_ block: [UInt8], _ state: inout State) -> Bool {
        #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
            guard state.statistics.failure == nil, state.files != nil else { return false }
            do throws(SystemCallError) {
                try state.files?.append(block)
                state.statistics.byteCount = state.files?.writtenByteCount ?? 0
                return true
            } catch {
                fail(error, &state)
            }
        #endif
        return false
    }

    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
        private func fail(_ error: SystemCallError, _ state: inout State) {
            state.statistics.failure = "The recording \(path) has ended, because it cannot be written: \(error)."
            state.files = nil
            collector.close()
        }
    #endif
}
