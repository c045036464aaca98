// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Writes accesses into the files of a recording, block by block.
///
/// A failure to write ends the recording: see ``statistics``.
struct TraceFileWriter: ~Copyable {
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
        private var files: TraceFiles?
    #endif
    private let path: String
    private let threshold: UInt64
    private var encoder: TraceBlockEncoder
    private var unreportedLosses = 0
    private(set) var statistics = CacheTraceRecorder.Statistics()

    /// Begins the first file. Accesses to keys are written whose hashes end with 16 bits below the header's ``TraceFileHeader/sampledKeys``.
    init(path: String, configuration: CacheTraceRecorder.Configuration, header: TraceFileHeader) throws(CacheTraceError) {
        self.path = path
        threshold = UInt64(header.sampledKeys)
        #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
            let fileCount = min(max(1, configuration.fileCount), CacheTraceRecorder.Configuration.maximumFileCount)
            let maximumByteCount = max(1 << 16, configuration.maximumFileBytes)
            encoder = TraceBlockEncoder(usualByteCount: min(1 << 18, maximumByteCount / 8))
            let stranger: String?
            do throws(SystemCallError) {
                stranger = try TraceFiles.makeWay(at: path, fileCount: fileCount)
                if stranger == nil {
                    files = try TraceFiles(path: path, maximumByteCount: maximumByteCount, fileCount: fileCount, header: header)
                }
            } catch {
                if error.isOccupied { throw .occupied(path) }
                throw CacheTraceError(.io, "The recording \(path) cannot be written: \(error).")
            }
            if let stranger { throw .occupied(stranger) }
        #else
            throw CacheTraceError(.unsupported, "There are no files on this platform to record into.")
        #endif
    }

    /// Notes that accesses were lost, for the next block to tell.
    mutating func noteLosses(_ count: Int) { unreportedLosses += count }

    /// Writes an access, if its key is one of those that are.
    mutating func append(_ event: TraceEvent, hash: UInt64) {
        guard hash & 0xffff < threshold else { return }
        if encoder.count == 0 { beginBlock() }
        encoder.append(event)
        if encoder.isFull { writeBlock() }
    }

    /// Writes the remaining accesses.
    mutating func endBlock() {
        if encoder.count > 0 { writeBlock() }
    }

    mutating func close() {
        #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
            files = nil
        #endif
    }

    private mutating func beginBlock() {
        #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
            do throws(SystemCallError) {
                if try files?.makeRoom(for: encoder.maximumByteCount) == true { encoder.beginAnew() }
            } catch {
                fail(error)
            }
        #endif
    }

    private mutating func writeBlock() {
        let count = encoder.count
        let block = encoder.take(lost: UInt32(clamping: unreportedLosses))
        if write(block) {
            statistics.written += count
            unreportedLosses = 0
        } else {
            statistics.lost += count
        }
    }

    /// - Returns: Whether the block was written.
    private mutating func write(_ block: [UInt8]) -> Bool {
        #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
            guard files != nil else { return false }
            do throws(SystemCallError) {
                try files?.append(block)
                statistics.byteCount = files?.writtenByteCount ?? 0
                return true
            } catch {
                fail(error)
            }
        #endif
        return false
    }

    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
        private mutating func fail(_ error: SystemCallError) {
            let reason = error.isOccupied ? "something that is no recording has come to the path of one of its older files" : "\(error)"
            statistics.failure = "The recording \(path) has ended, because it cannot be written: \(reason)."
            files = nil
        }
    #endif
}

extension CacheTraceError {
    fileprivate static func occupied(_ path: String) -> CacheTraceError {
        CacheTraceError(.occupied, "\(path) is there already, and is no recording. Choose another path for the recording.")
    }
}
