// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct SizeMemoryTests {
    @Test func aSmallCountIsRememberedUntilSomethingChanges() {
        var memory = SizeMemory()
        #expect(memory.size(at: 0, latestChange: 1) == nil)
        memory.remember(.init(count: 5, bytes: 50), isExact: true, at: 0, latestChange: 1)
        #expect(memory.size(at: 1, latestChange: 1) == .init(count: 5, bytes: 50))
        #expect(memory.size(at: 1, latestChange: 2) == nil)
        #expect(memory.size(at: 1, latestChange: nil) == nil)
        #expect(memory.size(at: SizeMemory.nanosecondsKept, latestChange: 1) == nil)
    }

    @Test(arguments: [(true, 5_000), (false, 5)]) func whatIsLongToMeasureIsRememberedForSomeTime(isExact: Bool, count: Int) {
        var memory = SizeMemory()
        memory.remember(.init(count: count, bytes: 50), isExact: isExact, at: 0, latestChange: 1)
        #expect(memory.size(at: 1, latestChange: 2)?.count == count)
        #expect(memory.size(at: SizeMemory.nanosecondsKept, latestChange: 2) == nil)
    }

    @Test func aSampleIsScaled() {
        #expect(StoreSize(count: 10, bytes: 100).scaled(by: 2.5) == .init(count: 25, bytes: 250))
    }

    @Test func aSampleOfAServerThatTellsAnyNumberIsScaledAsFarAsNumbersGo() {
        #expect(StoreSize(count: 2, bytes: .max).scaled(by: 1e18) == .init(count: 2_000_000_000_000_000_000, bytes: .max))
        #expect(StoreSize(count: 0, bytes: 1).scaled(by: .infinity) == .init(count: .max, bytes: .max))
    }
}
