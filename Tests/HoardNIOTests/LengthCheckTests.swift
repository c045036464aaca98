// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import NIOCore
import Testing

@testable import HoardMessages
@testable import HoardNIO
@testable import HoardWire

@Suite struct LengthCheckTests {
    private let hello = ByteBuffer(string: "hello")

    @Test func lastPartIsHeldUntilTheBodyHasEnded() {
        var check = LengthCheck(byteCount: 10)
        #expect(check.next(hello) == .send(hello))
        #expect(check.next(hello) == .hold)
        #expect(check.end() == .send(hello))
    }

    @Test func shortBodyFails() {
        var check = LengthCheck(byteCount: 10)
        #expect(check.next(hello) == .send(hello))
        #expect(check.end() == .fail)
    }

    @Test func longBodyFailsBeforeItsLengthIsReached() {
        var check = LengthCheck(byteCount: 9)
        #expect(check.next(hello) == .send(hello))
        #expect(check.next(hello) == .fail)
        var exact = LengthCheck(byteCount: 5)
        #expect(exact.next(hello) == .hold)
        #expect(exact.next(hello) == .fail)
    }

    @Test func emptyBodyNeedsNothing() {
        var check = LengthCheck(byteCount: 0)
        #expect(check.end() == .send(nil))
        var long = LengthCheck(byteCount: 0)
        #expect(long.next(hello) == .fail)
    }

    /// A client that counts never takes a wrong body for a complete one, and always a right one.
    @Test func clientSeesExactlyTheRightBodiesAsComplete() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let sizes = (0..<Int.random(in: 0...5, using: &random)).map { _ in Int.random(in: 1...4, using: &random) }
            let announced = Int.random(in: 0...12, using: &random)
            var check = LengthCheck(byteCount: announced)
            var sentByteCount = 0
            var hasFailed = false
            for size in sizes where !hasFailed {
                switch check.next(ByteBuffer(repeating: 0, count: size)) {
                case .send(let part): sentByteCount += part.readableBytes
                case .hold: break
                case .fail: hasFailed = true
                }
            }
            if !hasFailed {
                switch check.end() {
                case .send(let part): sentByteCount += part?.readableBytes ?? 0
                case .fail: hasFailed = true
                }
            }
            let isRight = sizes.reduce(0, +) == announced
            #expect(hasFailed != isRight, "seed \(seed)")
            if announced > 0 { #expect((sentByteCount == announced) == isRight, "seed \(seed)") }
        }
    }
}
