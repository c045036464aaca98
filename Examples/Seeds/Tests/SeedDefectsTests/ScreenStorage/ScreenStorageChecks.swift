// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import HoardViews

/// The mistakes that a storage of screens may make. Each check returns the one that it found.
enum ScreenStorageChecks {
    private static func screen(_ identifier: String, at time: ManualTicker, maxAge: Int? = nil, size: Int = 100, partition: String? = nil)
        -> CacheReference
    {
        CacheReference(
            identifier: identifier,
            data: Data(repeating: 120, count: size),
            hash: "state",
            maxAge: maxAge,
            timeOfCreation: time.now(),
            partition: partition
        )
    }

    static func freshnessSurvivesTheDisk(_ make: MakeScreenStorage) async throws -> String? {
        let (directory, time) = (try TemporaryDirectory(), ManualTicker())
        let storage = make(directory.path, 1 << 20, time)
        let added = screen("/home", at: time, maxAge: 60)
        try await storage.open().addToCache(added)
        await storage.close()
        let manager = try await storage.open()
        guard let read = await manager.getReference(identifiedBy: "/home") else { return "the screen is lost" }
        guard read.maxAge == 60 else { return "a max age of 60 has become \(read.maxAge.map(String.init) ?? "none")" }
        time.advance(by: .seconds(59))
        guard manager.isValid(reference: read) else { return "a fresh screen is not valid" }
        time.advance(by: .seconds(1))
        if manager.isValid(reference: read) { return "a stale screen is valid" }
        await storage.close()
        return read == added ? nil : "the screen has changed"
    }

    static func readingLeavesTheTimeOfCreation(_ make: MakeScreenStorage) async throws -> String? {
        let (directory, time) = (try TemporaryDirectory(), ManualTicker())
        let storage = make(directory.path, 1 << 20, time)
        let added = screen("/home", at: time)
        try await storage.open().addToCache(added)
        for _ in 0..<3 {
            // The first read comes from the disk each time, and the second from memory, which
            // has the screen after that.
            await storage.close()
            let manager = try await storage.open()
            for _ in 0..<2 {
                time.advance(by: .seconds(30))
                let read = await manager.getReference(identifiedBy: "/home")
                let shift = read?.timeOfCreation.timeIntervalSince(added.timeOfCreation) ?? .infinity
                if shift != 0 { return "reading has moved the time of creation by \(Int(shift)) seconds" }
            }
        }
        await storage.close()
        return nil
    }

    static func bytesAreLimited(_ make: MakeScreenStorage) async throws -> String? {
        let (directory, time, maximumBytes) = (try TemporaryDirectory(), ManualTicker(), 100_000)
        let storage = make(directory.path, maximumBytes, time)
        let manager = try await storage.open()
        for number in 0..<100 {
            await manager.addToCache(screen("/\(number)", at: time, size: 10_000))
            let count = try await storage.byteCount()
            if count > maximumBytes { return "more bytes are kept than may be, from screen \(number) on" }
        }
        guard await manager.getReference(identifiedBy: "/99") != nil else { return "the newest screen is not kept" }
        await storage.close()
        return nil
    }

    static func readingSavesNothing(_ make: MakeScreenStorage) async throws -> String? {
        let (directory, time) = (try TemporaryDirectory(), ManualTicker())
        let storage = make(directory.path, 1 << 20, time)
        let manager = try await storage.open()
        for number in 0..<100 { await manager.addToCache(screen("/\(number)", at: time)) }
        let before = try contents(of: directory)
        for number in 0..<500 {
            time.advance(by: .seconds(1))
            if await manager.getReference(identifiedBy: "/\(number % 100)") == nil { return "a screen is lost" }
        }
        let after = try contents(of: directory)
        await storage.close()
        return before == after ? nil : "reading has written to the disk"
    }

    /// The bytes of all files but those that SQLite shares between processes in place of memory.
    private static func contents(of directory: TemporaryDirectory) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for file in try directory.files() where !file.hasSuffix("-shm") {
            contents[file] = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/" + file))
        }
        return contents
    }

    static func logoutForgetsAUser(_ make: MakeScreenStorage) async throws -> String? {
        let (directory, time) = (try TemporaryDirectory(), ManualTicker())
        let storage = make(directory.path, 1 << 20, time)
        var manager = try await storage.open()
        await manager.addToCache(screen("/profile", at: time, partition: "anna"))
        await manager.addToCache(screen("/offers", at: time))
        await manager.removePartition("anna")
        for _ in 0..<2 {
            if await manager.getReference(identifiedBy: "/profile") != nil { return "the next user gets the profile of the one who has left" }
            if await manager.getReference(identifiedBy: "/offers") == nil { return "what is nobody's has gone with one user" }
            await storage.close()
            manager = try await storage.open()
        }
        await storage.close()
        return nil
    }
}
