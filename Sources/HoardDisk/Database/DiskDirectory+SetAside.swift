// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension DiskDirectory {
    /// How many damaged databases are kept for inspection. Older ones are deleted.
    static let maximumSetAsideCount = 3

    private static let setAsidePrefix = "\(databaseName).corrupt-"

    /// Moves a damaged database out of the way, with the files that belong to it, and returns its new path.
    ///
    /// The name is the old one with the date, such as `hoard.sqlite.corrupt-20261121T030405Z`; a second one within
    /// the second gets `-2` at its end. Call with the directory locked and the store's connections closed.
    func setDatabaseAside(at date: Date) throws(StoreError) -> String {
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, dateTimeSeparator: .standard, timeSeparator: .omitted, timeZone: .gmt)
        let name = Self.setAsidePrefix + date.formatted(style)
        var destination = path(of: name)
        var number = 2
        while access(destination, F_OK) == 0 {
            destination = path(of: "\(name)-\(number)")
            number += 1
        }
        // The write-ahead log must never meet another database, so it goes first.
        for suffix in Self.companionSuffixes + [""] {
            if rename(databasePath + suffix, destination + suffix) != 0, errno != ENOENT {
                throw .system(errno, "move the damaged database \(databasePath) aside")
            }
        }
        deleteOldestSetAside()
        return destination
    }

    /// Keeps repeated damage from filling the disk.
    private func deleteOldestSetAside() {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return }
        let databases = names.filter { name in
            name.hasPrefix(Self.setAsidePrefix) && !Self.companionSuffixes.contains { name.hasSuffix($0) }
        }
        let byAge = databases.sorted { modificationDate(of: $0) < modificationDate(of: $1) }
        for name in byAge.dropLast(Self.maximumSetAsideCount) {
            for suffix in [""] + Self.companionSuffixes {
                unlink(path(of: name) + suffix)
            }
        }
    }

    private func modificationDate(of name: String) -> Date {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path(of: name))
        return attributes?[.modificationDate] as? Date ?? .distantPast
    }
}
