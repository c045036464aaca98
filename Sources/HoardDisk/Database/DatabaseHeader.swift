// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite

/// The first bytes of a database's file: https://sqlite.org/fileformat2.html#the_database_header
enum DatabaseHeader {
    /// Whether the header of a Hoard database allows writing it. SQLite takes a database whose format version it does not know to be read-only, not to be damaged.
    ///
    /// Read through the connection's own descriptor. A descriptor of ours would, when it is closed, drop all locks that the process has on the file, those of
    /// other stores among them: https://sqlite.org/howtocorrupt.html, section 2.2.
    static func isPlausible(_ db: Database) -> Bool {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard let connection = db.sqliteConnection,
            sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let read = file.pointee.pMethods?.pointee.xRead
        else { return true }
        var header = [UInt8](repeating: 0, count: 72)
        // A shorter file is an empty one, or damaged in a way that SQLite sees.
        guard read(file, &header, CInt(header.count), 0) == SQLITE_OK else { return true }
        let applicationID = header[68...].reduce(0) { $0 << 8 | Int32($1) }
        guard applicationID == DiskSchema.applicationID else { return true }
        return (1...2).contains(header[18]) && (1...2).contains(header[19])
    }
}
