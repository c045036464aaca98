// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Hoard

@Suite struct RetryThrottleTests {
    @Test func sourceIsLeftAloneUntilTheRetryTime() {
        var throttle = RetryThrottle<String>()
        throttle.loadFailed("a", retryAt: 10, now: 0)
        #expect(throttle.retryTime(of: "a", now: 9) == 10)
        #expect(throttle.retryTime(of: "a", now: 10) == nil)
        #expect(throttle.retryTime(of: "b", now: 0) == nil)
    }

    @Test func loadThatSucceedsEndsTheThrottle() {
        var throttle = RetryThrottle<String>()
        throttle.loadFailed("a", retryAt: 10, now: 0)
        throttle.forget("a")
        #expect(throttle.retryTime(of: "a", now: 0) == nil)
        throttle.loadFailed("a", retryAt: 10, now: 0)
        throttle.forgetAll()
        #expect(throttle.count == 0)
    }

    @Test func memoryIsBounded() {
        var throttle = RetryThrottle<Int>(maximumCount: 10)
        for key in 0..<10 { throttle.loadFailed(key, retryAt: Int64(key) + 1, now: 0) }
        throttle.loadFailed(10, retryAt: 100, now: 5)
        // The keys whose time was up have made room.
        #expect(throttle.count == 6)
        for key in 11..<100 { throttle.loadFailed(key, retryAt: 100, now: 5) }
        #expect(throttle.count <= 10)
        #expect(throttle.retryTime(of: 99, now: 5) == 100)
    }

    @Test func noTimeIsNoThrottle() {
        var throttle = RetryThrottle<Int>()
        throttle.loadFailed(1, retryAt: 5, now: 5)
        #expect(throttle.count == 0)
    }
}
