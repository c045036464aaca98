// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting

/// The mistakes that a storage of objects may make. Each check returns the one that it found.
enum ObjectStorageChecks {
    private static let note = Note(text: "remember")

    static func missCompletes(_ make: MakeObjectStorage) async throws -> String? {
        let storage = make(MemoryStore())
        let calls = await calls { storage.retrieve("absent", completion: $0) }
        switch calls.count {
        case 0: return "a miss never completes"
        case 1: return calls[0] == nil ? nil : "a miss has a value"
        default: return "a miss completes \(calls.count) times"
        }
    }

    static func storingCompletesAfterTheWrite(_ make: MakeObjectStorage) async throws -> String? {
        let disk = FaultyStore(MemoryStore())
        let (storage, gate, answers) = (make(disk), disk.hold(.insert, .insertMany), Calls<Bool>())
        async let all: [Bool] = calls { handler in
            storage.store(note, forKey: "a") { isKept in
                answers.add(isKept)
                handler(isKept)
            }
        }
        await gate.arrivals(1)
        let early = answers.values.count
        gate.open()
        let count = await all.count
        if early > 0 { return "storing completes before the write" }
        return count == 1 ? nil : "storing completes \(count) times"
    }

    static func failureOfTheWriteIsTold(_ make: MakeObjectStorage) async throws -> String? {
        let disk = FaultyStore(MemoryStore())
        disk.fail(.insert, .insertMany, with: .full)
        let storage = make(disk)
        return await calls { storage.store(note, forKey: "a", completion: $0) } == [false]
            ? nil : "a write that has failed is taken for one that has not"
    }

    static func valuesComeBackDecoded(_ make: MakeObjectStorage) async throws -> String? {
        let disk = FaultyStore(MemoryStore())
        // The door is behind the write: once a write stands there, the disk has the object, whether or
        // not a caller waits for that.
        let (storage, written) = (make(disk), disk.hold(.insert, .insertMany, afterwards: true))
        async let stored: [Bool] = calls { storage.store(note, forKey: "a", completion: $0) }
        await written.arrivals(1)
        written.open()
        _ = await stored
        let next = make(disk)
        let found = await calls { next.retrieve("a", completion: $0) }.first ?? nil
        return found as? Note == note ? nil : "what is read back is \(found.map { "\(type(of: $0))" } ?? "nothing")"
    }

    static func keysNameNoFiles(_ type: any FileStorage.Type) async throws -> String? {
        let root = try TemporaryDirectory()
        let storage = try type.init(directory: root.path + "/app/caches/images")
        for (number, key) in ["../../victim", "../victim", "sub/../../victim", "\u{0}", String(repeating: "é", count: 5_000)].enumerated() {
            let data = Data("object \(number)".utf8)
            do {
                try await storage.store(data, forKey: key)
            } catch {
                return "a key cannot be used: number \(number)"
            }
            if let outside = try root.files().first(where: { !$0.hasPrefix("app/caches/images/") }) { return "a key has written the file \(outside)" }
            if try await storage.data(forKey: key) != data { return "a key does not find what it has stored: number \(number)" }
        }
        return nil
    }
}
