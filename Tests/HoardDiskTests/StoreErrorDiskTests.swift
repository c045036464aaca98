// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Hoard
import Testing

@testable import HoardDisk

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct StoreErrorDiskTests {
    @Test(
        arguments: [
            (EACCES, .permissionDenied), (EPERM, .permissionDenied), (EROFS, .permissionDenied), (ENOTDIR, .notADirectory),
            (ENOSPC, .full), (EDQUOT, .full), (EIO, .unavailable), (EMFILE, .unavailable),
        ] as [(CInt, StoreError.Code)]
    )
    func systemCallsFailWithTheCodeOfTheirCause(number: CInt, code: StoreError.Code) {
        let error = StoreError.system(number, "open the directory /cache")
        #expect(error.code == code)
        #expect(error.message.contains("open the directory /cache"))
        #expect(error.message.hasSuffix("."))
    }

    @Test(
        arguments: [
            (.SQLITE_FULL, .full), (.SQLITE_IOERR_SHMSIZE, .full), (.SQLITE_READONLY, .permissionDenied),
            (.SQLITE_BUSY, .unavailable), (.SQLITE_LOCKED, .unavailable), (.SQLITE_IOERR_READ, .unavailable), (.SQLITE_CANTOPEN, .unavailable),
            (.SQLITE_CORRUPT, .corrupt), (.SQLITE_CORRUPT_INDEX, .corrupt), (.SQLITE_NOTADB, .corrupt), (.SQLITE_ERROR, .corrupt),
            (.SQLITE_CONSTRAINT_UNIQUE, .corrupt),
        ] as [(ResultCode, StoreError.Code)]
    )
    func databaseErrorsHaveTheCodeOfTheirCause(resultCode: ResultCode, code: StoreError.Code) {
        let error = StoreError.database(DatabaseError(resultCode: resultCode, message: "secret", sql: "SELECT secret"))
        #expect(error.code == code)
        #expect(!error.description.contains("secret"))
        #expect(error.underlyingError is DatabaseError)
        #expect(StoreError.isDamage(DatabaseError(resultCode: resultCode)) == (code == .corrupt))
    }

    @Test func aStoreErrorStaysWhatItIs() {
        let error = StoreError.database(StoreError(.foreign, "It is somebody else's."))
        #expect(error.code == .foreign)
        #expect(error.message == "It is somebody else's.")
        #expect(!StoreError.isDamage(error))
    }

    @Test func anUnknownErrorIsUnavailable() {
        #expect(StoreError.database(CancellationError()).code == .unavailable)
    }
}
