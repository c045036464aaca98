// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    #if canImport(FoundationEssentials)
        internal import FoundationEssentials
    #else
        internal import Foundation
    #endif

    extension Cache where Key: Codable, Value: Codable {
        /// Writes a snapshot of the cache into a file, and replaces an older one.
        ///
        /// The file is written under another name, with a checksum, and takes its name when it is whole and on the medium. A reader
        /// gets the old snapshot or the new one. Only the process's user may read the file (mode 0600). The call blocks the thread
        /// while it encodes and writes; call it from a task that may block.
        ///
        /// - Parameters:
        ///   - path: The directory must exist.
        ///   - maximumBytes: How large the file may become as a whole. If all entries do not fit, only the hottest are written.
        ///   - clock: Dates the snapshot.
        /// - Returns: The number of entries written.
        /// - Throws: ``SnapshotError``: among others `tooLarge` if not even a file without entries fits. The older file is then as it was.
        @discardableResult
        public func save(
            to path: String,
            maximumBytes: Int = 256 << 20,
            clock: any WallClock = SystemWallClock()
        ) throws(SnapshotError) -> Int {
            var snapshot = snapshot(clock: clock)
            let schema = Self.snapshotSchema
            let limit = max(0, maximumBytes) - SnapshotFile.byteCount(aroundPayloadOf: schema)
            var payload = try Self.encode(snapshot)
            while payload.count > limit, !snapshot.entries.isEmpty {
                // A little less than would fit if all entries were of one size.
                let share = Double(limit) / Double(payload.count) * 0.95
                let count = min(snapshot.entries.count - 1, Int(Double(snapshot.entries.count) * share))
                snapshot.keepHottest(max(0, count))
                payload = try Self.encode(snapshot)
            }
            guard payload.count <= limit else {
                throw SnapshotError(.tooLarge, "A snapshot without entries is longer than the \(maximumBytes) bytes allowed for \(path). Allow more.")
            }
            try SnapshotFile.write(payload, schema: schema, to: path)
            return snapshot.entries.count
        }

        /// Puts the entries of a file that ``save(to:maximumBytes:clock:)`` has written into the cache, as ``restore(_:clock:)`` does.
        ///
        /// Blocks the thread while it reads and decodes.
        ///
        /// - Parameter maximumBytes: How many bytes of entries the file may hold; one written within this limit is always read.
        /// - Returns: The number of entries put in and kept at that moment.
        /// - Throws: ``SnapshotError``: among others `notFound`, `corrupt` for a file that is not whole, and `wrongSchema` for one of a cache with
        ///   other types. Nothing has been put into the cache then.
        @discardableResult
        public func restore(
            from path: String,
            maximumBytes: Int = 256 << 20,
            clock: any WallClock = SystemWallClock()
        ) throws(SnapshotError) -> Int {
            let payload = try SnapshotFile.read(path: path, schema: Self.snapshotSchema, maximumBytes: maximumBytes)
            let snapshot: Snapshot
            do {
                snapshot = try PropertyListDecoder().decode(Snapshot.self, from: Data(payload))
            } catch {
                throw SnapshotError(
                    .codingFailed,
                    "The entries of the snapshot \(path) cannot be decoded. Has the type of the values changed?",
                    underlyingError: error
                )
            }
            return restore(snapshot, clock: clock)
        }

        private static func encode(_ snapshot: Snapshot) throws(SnapshotError) -> [UInt8] {
            do {
                let encoder = PropertyListEncoder()
                encoder.outputFormat = .binary
                return Array(try encoder.encode(snapshot))
            } catch {
                throw SnapshotError(.codingFailed, "The entries of the cache cannot be encoded.", underlyingError: error)
            }
        }

        /// Names the types, so that a file is not taken for one of another cache. Long names are cut; the hash covers
        /// the whole name.
        private static var snapshotSchema: String {
            let name = "\(stableName(of: Key.self)) \(stableName(of: Value.self))"
            let hash = Array(name.utf8).withUnsafeBytes { XXH64.hash($0) }
            return "cache/1 \(String(hash, radix: 16)) \(String(decoding: name.utf8.prefix(200), as: UTF8.self))"
        }
    }
#endif
