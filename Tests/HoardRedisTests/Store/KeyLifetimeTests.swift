// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Testing

@_spi(Client) @testable import HoardRedis

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct KeyLifetimeTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func lifetime(_ seconds: Double?, slack: Duration = .seconds(60)) -> Int64? {
        var record = Record(payload: Data(), created: now, staleUntil: .forever)
        record.staleUntil = seconds.map { now + $0 }
        return KeyLifetime.milliseconds(of: record, now: now, slack: slack)
    }

    @Test func aRecordIsKeptForItsTimeAndTheSlack() {
        #expect(lifetime(nil) == nil)
        #expect(lifetime(10) == 70_000)
        #expect(lifetime(0.0001, slack: .zero) == 1)
        #expect(lifetime(-5) == 60_000)
        #expect(lifetime(-5, slack: .zero) == 1)
    }

    @Test func aTimeThatNoServerAcceptsIsForEver() {
        #expect(lifetime(1e12) == nil)
        #expect(lifetime(.infinity) == nil)
        #expect(lifetime(-.infinity, slack: .zero) == 1)
    }

    @Test func aTimeThatIsNoNumberIsOver() {
        #expect(lifetime(.nan) == 60_000)
        #expect(lifetime(.nan, slack: .zero) == 1)
    }

    @Test func generationsAreKeptForAtLeastTwiceAsLongAndInFewSteps() {
        #expect(KeyLifetime.ofGeneration(neededBy: nil) == nil)
        var steps: Set<Int64?> = []
        for exponent in 0..<60 {
            let needed: Int64 = 1 << exponent / 2
            let lifetime = KeyLifetime.ofGeneration(neededBy: needed)
            if let lifetime { #expect(lifetime >= 2 * needed) }
            steps.insert(lifetime)
        }
        #expect(steps.count <= 4)
    }
}
