// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting

/// The mistakes that a typed cache may make. Each check returns the one that it found.
enum TypedCacheChecks {
    /// Long after today, so that a cache that asks the system's clock takes everything for fresh.
    private static func farFuture() -> ManualTicker { ManualTicker(date: Date(timeIntervalSince1970: 32_503_680_000)) }

    static func keysAreThoseOfTheValues(_ make: MakeTypedCache) async throws -> String? {
        let cache = make(100, 60, ManualTicker())
        cache.insert("old", forKey: "a")
        cache.replace(with: "new", forKey: "a") { cache.removeValue(forKey: "a") }
        if let finding = difference(cache, of: ["a"]) { return finding }

        let (keys, seed) = ((0..<20).map { "key \($0)" }, UInt64.random(in: 0 ... .max))
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 as Range<UInt64> {
                group.addTask {
                    var random = SeededGenerator(seed: seed &+ worker)
                    for step in 0..<2_000 {
                        let key = keys[Int.random(in: 0..<20, using: &random)]
                        if Bool.random(using: &random) { cache.insert("\(step)", forKey: key) } else { cache.removeValue(forKey: key) }
                    }
                }
            }
        }
        return difference(cache, of: keys).map { "\($0), with seed \(seed)" }
    }

    private static func difference(_ cache: any TypedCaching, of keys: [String]) -> String? {
        let readable = keys.filter { cache.value(forKey: $0) != nil }
        return cache.keys == Set(readable) ? nil : "\(cache.keys.count) keys are tracked, and \(readable.count) have values"
    }

    static func restoringKeepsTheConfiguration(_ make: MakeTypedCache) async throws -> String? {
        let time = farFuture()
        let restored = try make(2, 60, time).saved()()
        for number in 0..<5 { restored.insert("value", forKey: "key \(number)") }
        if restored.keys.count > 2 { return "a limit of 2 has become \(restored.keys.count) or more" }
        time.advance(by: .seconds(60))
        return (0..<5).contains { restored.value(forKey: "key \($0)") != nil } ? "a lifetime of a minute has become longer" : nil
    }

    static func restoringKeepsExpiredEntriesAway(_ make: MakeTypedCache) async throws -> String? {
        let time = farFuture()
        let cache = make(10, 60, time)
        cache.insert("value", forKey: "early")
        time.advance(by: .seconds(30))
        cache.insert("value", forKey: "late")
        let restore = try cache.saved()
        time.advance(by: .seconds(30))
        let restored = try restore()
        if restored.value(forKey: "early") != nil { return "an entry is back whose time was up" }
        return restored.value(forKey: "late") == nil ? "an entry is lost whose time was not up" : nil
    }

    static func lifetimesAreMeasuredByAClockNobodySets(_ make: MakeTypedCache) async throws -> String? {
        let time = ManualTicker()
        let cache = make(10, 60, time)
        cache.insert("value", forKey: "a")
        time.setWallClock(to: time.now() - 3_600)
        time.advance(by: .seconds(60))
        if cache.value(forKey: "a") != nil { return "setting the clock back an hour has lengthened a life" }
        cache.insert("value", forKey: "b")
        time.setWallClock(to: time.now() + 3_600)
        return cache.value(forKey: "b") == nil ? "setting the clock forward has ended a life" : nil
    }
}
