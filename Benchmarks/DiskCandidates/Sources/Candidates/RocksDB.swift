// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if WITH_ROCKSDB
    internal import CRocksDB
    internal import Foundation
    public import Segments
    internal import Synchronization

    struct RocksDBError: Error {
        let description: String
    }

    /// RocksDB through its C library, with its own defaults: each batch goes to the log, which is not synchronised.
    ///
    /// `@unchecked Sendable` because the library's functions may be called from any thread, and its options do not change.
    public final class RocksDB: Candidate, @unchecked Sendable {
        private let database: OpaquePointer
        private let options = rocksdb_options_create()
        private let writing = rocksdb_writeoptions_create()
        private let reading = rocksdb_readoptions_create()
        private let cache = rocksdb_cache_create_lru(64 << 20)

        public init(_ options: CandidateOptions) throws {
            rocksdb_options_set_create_if_missing(self.options, 1)
            rocksdb_options_set_compression(self.options, Int32(rocksdb_no_compression))
            rocksdb_options_increase_parallelism(self.options, 2)
            let table = rocksdb_block_based_options_create()
            rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom(10))
            rocksdb_block_based_options_set_block_cache(table, cache)
            rocksdb_options_set_block_based_table_factory(self.options, table)
            var message: UnsafeMutablePointer<CChar>?
            guard let opened = rocksdb_open(self.options, options.directory, &message), message == nil else { throw Self.error(message) }
            database = opened
        }

        private static func error(_ message: UnsafeMutablePointer<CChar>?) -> RocksDBError {
            defer { free(message) }
            return RocksDBError(description: message.map { String(cString: $0) } ?? "no message")
        }

        public func commit(_ changes: [Change]) throws {
            let batch = rocksdb_writebatch_create()
            defer { rocksdb_writebatch_destroy(batch) }
            for change in changes {
                change.key.withUnsafeBytes { key in
                    let start = key.bindMemory(to: CChar.self).baseAddress
                    if let payload = change.payload {
                        payload.withUnsafeBytes {
                            rocksdb_writebatch_put(batch, start, key.count, $0.bindMemory(to: CChar.self).baseAddress, $0.count)
                        }
                    } else {
                        rocksdb_writebatch_delete(batch, start, key.count)
                    }
                }
            }
            var message: UnsafeMutablePointer<CChar>?
            rocksdb_write(database, writing, batch, &message)
            if message != nil { throw Self.error(message) }
        }

        public func read(_ key: [UInt8], into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
            var message: UnsafeMutablePointer<CChar>?
            let found = key.withUnsafeBytes { rocksdb_get_pinned(database, reading, $0.bindMemory(to: CChar.self).baseAddress, $0.count, &message) }
            if message != nil { throw Self.error(message) }
            guard let found else { return nil }
            defer { rocksdb_pinnableslice_destroy(found) }
            var count = 0
            let value = rocksdb_pinnableslice_value(found, &count)
            buffer.copyMemory(from: UnsafeRawBufferPointer(start: value, count: count))
            return count
        }

        /// RocksDB only estimates how many records it has.
        public var recordCount: Int {
            guard let text = rocksdb_property_value(database, "rocksdb.estimate-num-keys") else { return 0 }
            defer { free(text) }
            return Int(String(cString: text)) ?? 0
        }

        public func close() throws { rocksdb_close(database) }
    }
#endif
