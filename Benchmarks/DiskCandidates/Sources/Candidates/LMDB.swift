// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if WITH_LMDB
    internal import CLMDB
    internal import Foundation
    public import Segments

    struct LMDBError: Error {
        let code: Int32
    }

    /// LMDB through its C library, without waiting for the device: a killed process loses nothing that was committed.
    ///
    /// `@unchecked Sendable` because the library synchronises the environment's users, and each call here has a transaction of its own.
    public final class LMDB: Candidate, @unchecked Sendable {
        private let environment: OpaquePointer
        private var database: MDB_dbi = 0

        public init(_ options: CandidateOptions) throws {
            var made: OpaquePointer?
            try Self.check(mdb_env_create(&made))
            guard let made else { throw LMDBError(code: 0) }
            environment = made
            try Self.check(mdb_env_set_mapsize(environment, 64 << 30))
            try Self.check(mdb_env_open(environment, options.directory, UInt32(MDB_NOSYNC | MDB_NORDAHEAD | MDB_NOTLS), 0o600))
            var transaction: OpaquePointer?
            try Self.check(mdb_txn_begin(environment, nil, 0, &transaction))
            try Self.check(mdb_dbi_open(transaction, nil, 0, &database))
            try Self.check(mdb_txn_commit(transaction))
        }

        private static func check(_ code: Int32) throws { if code != 0 { throw LMDBError(code: code) } }

        private func withValue<Result>(_ bytes: [UInt8], _ body: (inout MDB_val) throws -> Result) rethrows -> Result {
            try bytes.withUnsafeBytes { bytes in
                var value = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
                return try body(&value)
            }
        }

        public func commit(_ changes: [Change]) throws {
            var transaction: OpaquePointer?
            try Self.check(mdb_txn_begin(environment, nil, 0, &transaction))
            for change in changes {
                try withValue(change.key) { key in
                    if let payload = change.payload {
                        try withValue(payload) { try Self.check(mdb_put(transaction, database, &key, &$0, 0)) }
                    } else {
                        let code = mdb_del(transaction, database, &key, nil)
                        if code != MDB_NOTFOUND { try Self.check(code) }
                    }
                }
            }
            try Self.check(mdb_txn_commit(transaction))
        }

        public func read(_ key: [UInt8], into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
            var transaction: OpaquePointer?
            try Self.check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
            defer { mdb_txn_abort(transaction) }
            var value = MDB_val()
            let code = withValue(key) { mdb_get(transaction, database, &$0, &value) }
            if code == MDB_NOTFOUND { return nil }
            try Self.check(code)
            buffer.copyMemory(from: UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
            return value.mv_size
        }

        public var recordCount: Int {
            var status = MDB_stat()
            mdb_env_stat(environment, &status)
            return status.ms_entries
        }

        public func close() throws { mdb_env_close(environment) }
    }
#endif
