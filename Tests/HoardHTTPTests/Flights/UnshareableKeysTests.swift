// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport
import Testing

@testable import HoardHTTP

@Suite struct UnshareableKeysTests {
    private func key(_ number: Int) -> FlightKey {
        FlightKey(key: HTTPCacheKey(scope: "http-private", targetURI: "http://example.com/\(number)"), variant: nil)
    }

    @Test func keyCountsForOnePeriod() {
        var keys = UnshareableKeys()
        keys.insert(key(1), at: 10)
        #expect(keys.contains(key(1)) { 9 + UnshareableKeys.period })
        #expect(!keys.contains(key(2)) { 10 })
        #expect(!keys.contains(key(1)) { 10 + UnshareableKeys.period })
        // It has been forgotten, and is not remembered when time goes back.
        #expect(!keys.contains(key(1)) { 10 })
    }

    @Test func keyThatIsAddedAgainCountsFromThen() {
        var keys = UnshareableKeys()
        keys.insert(key(1), at: 0)
        keys.insert(key(1), at: 100)
        keys.insert(key(2), at: UnshareableKeys.period + 50)
        #expect(keys.contains(key(1)) { UnshareableKeys.period + 99 })
    }

    @Test func keyThatWasTakenBackCountsNoMore() {
        var keys = UnshareableKeys()
        for number in 1...3 { keys.insert(key(number), at: 0) }
        keys.remove(key(1))
        keys.removeAll { $0 == key(2) }
        #expect((1...3).map { number in keys.contains(key(number)) { 1 } } == [false, false, true])
        keys.insert(key(1), at: 0)
        #expect(keys.contains(key(1)) { 1 })
    }

    @Test func oldestAreForgottenWhenThereAreTooMany() {
        var keys = UnshareableKeys()
        let count = UnshareableKeys.maximumCount * 3
        for number in 0..<count { keys.insert(key(number), at: Int64(number)) }
        let known = (0..<count).filter { number in keys.contains(key(number)) { Int64(count) } }
        #expect(known == Array(count - UnshareableKeys.maximumCount..<count))
    }

    @Test func clockAtItsEndIsNoObstacle() {
        var keys = UnshareableKeys()
        keys.insert(key(1), at: .max - 1)
        #expect(keys.contains(key(1)) { .max - 1 })
    }
}
