// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardProxy

@Suite("LogLinearScale")
struct LogLinearScaleTests {
    @Test func smallNumbersHaveBucketsOfTheirOwn() {
        for number in 0..<128 {
            let (lowest, count) = LogLinearScale.extent(of: LogLinearScale.bucket(of: number))
            #expect(lowest <= number && number < lowest + count)
            if number < 64 { #expect(count == 1) }
        }
        #expect(LogLinearScale.bucket(of: -5) == 0)
    }

    @Test func bucketsLieOneAfterTheOtherWithoutGaps() {
        var next = 0
        for bucket in 0..<LogLinearScale.bucketCount(upTo: 1 << 60) {
            let (lowest, count) = LogLinearScale.extent(of: bucket)
            #expect(lowest == next)
            #expect(LogLinearScale.bucket(of: lowest) == bucket)
            #expect(LogLinearScale.bucket(of: lowest + count - 1) == bucket)
            next = lowest + count
        }
        #expect(next > 1 << 60)
    }

    @Test func theMiddleIsOffByAtMostTheStatedError() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let number = Int.random(in: 0...(1 << Int.random(in: 1...60, using: &generator)), using: &generator)
            let middle = LogLinearScale.middle(of: LogLinearScale.bucket(of: number))
            #expect(abs(Double(middle - number)) <= Double(number) * LogLinearScale.relativeError, "seed \(seed), number \(number)")
        }
    }
}
