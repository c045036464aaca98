// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension StoreError {
    /// The error for a failed system call.
    ///
    /// - Parameter action: The action that failed, as the end of a sentence: "create the directory …".
    static func system(_ number: CInt, _ action: String) -> StoreError {
        let reason = String(cString: strerror(number))
        switch number {
        case EACCES, EPERM, EROFS:
            return StoreError(.permissionDenied, "The process may not \(action): \(reason).")
        case ENOTDIR:
            return StoreError(.notADirectory, "Could not \(action), because a part of the path is not a directory.")
        case ENOSPC, EDQUOT, EFBIG:
            return StoreError(.full, "Could not \(action), because the disk is full.")
        default:
            return StoreError(.unavailable, "Could not \(action): \(reason).")
        }
    }

    /// The error for something that GRDB or SQLite reported.
    static func database(_ error: any Error) -> StoreError {
        if let error = error as? StoreError { return error }
        if isDamage(error) { return StoreError(.corrupt, "The cache database is damaged.", underlyingError: error) }
        guard let error = error as? DatabaseError else {
            return StoreError(.unavailable, "The cache database did not answer.", underlyingError: error)
        }
        switch error.extendedResultCode {
        case .SQLITE_FULL, .SQLITE_IOERR_SHMSIZE:
            return StoreError(.full, "The record could not be written, because the disk is full.", underlyingError: error)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            return StoreError(.permissionDenied, "The process may not write the cache database.", underlyingError: error)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return StoreError(.unavailable, "Another process has kept the cache database locked for too long.", underlyingError: error)
        default:
            return StoreError(
                .unavailable,
                "The cache database failed with SQLite code \(error.extendedResultCode.rawValue).",
                underlyingError: error
            )
        }
    }

    /// Whether the error says that the database as a whole cannot be trusted.
    static func isDamage(_ error: any Error) -> Bool {
        if let error = error as? StoreError { return error.code == .corrupt }
        if error is RowDecodingError { return true }
        guard let error = error as? DatabaseError else { return false }
        switch error.extendedResultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB,
            .SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_CORRUPTFS, .SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH:
            // Every statement is fixed text that fits the schema, and every bound value fits its column, so a missing table,
            // a violated constraint or a type that does not match comes from damage.
            return true
        default:
            return false
        }
    }
}
