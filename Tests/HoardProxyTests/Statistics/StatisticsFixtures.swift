// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardTesting
import NIOCore
import NIOHTTP1

@testable import HoardProxy

/// A report of a request whose head came as bytes.
func report(
    _ head: String = "GET /a HTTP/1.1\r\nHost: example.com\r\n\r\n",
    status: Int = 200,
    bytes: Int = 100,
    isComplete: Bool = true,
    outcome: AnswerReport.Outcome? = .hit,
    tier: AnswerReport.Tier = .memory,
    isStored: Bool = true,
    foundUnusable: Bool = false,
    firstByte: Duration = .microseconds(10)
) -> ExchangeReport {
    report(
        .bytes(ByteBuffer(string: head)),
        status: status,
        bytes: bytes,
        isComplete: isComplete,
        outcome: outcome,
        tier: tier,
        isStored: isStored,
        foundUnusable: foundUnusable,
        firstByte: firstByte
    )
}

/// A report of any request.
func report(
    _ request: ExchangeReport.Request,
    status: Int = 200,
    bytes: Int = 100,
    isComplete: Bool = true,
    outcome: AnswerReport.Outcome? = .hit,
    tier: AnswerReport.Tier = .memory,
    isStored: Bool = true,
    foundUnusable: Bool = false,
    firstByte: Duration = .microseconds(10)
) -> ExchangeReport {
    ExchangeReport(
        request: request,
        version: .http1_1,
        isSecure: false,
        remoteAddress: "192.0.2.1",
        status: status,
        contentByteCount: bytes,
        isComplete: isComplete,
        timeToFirstByte: firstByte,
        duration: firstByte * 2,
        note: outcome.map { ExchangeNote(AnswerReport($0, tier: tier, isStored: isStored, foundUnusable: foundUnusable)) }
    )
}

/// A report of a `GET`.
func get(_ path: String, bytes: Int = 100, outcome: AnswerReport.Outcome = .hit, tier: AnswerReport.Tier = .memory) -> ExchangeReport {
    report("GET \(path) HTTP/1.1\r\nHost: example.com\r\n\r\n", bytes: bytes, outcome: outcome, tier: tier)
}

/// A hash of a number that looks random, as those of targets do.
func spread(_ key: UInt64) -> UInt64 {
    var generator = SeededGenerator(seed: key)
    return generator.next()
}

/// A hasher that is the same in every run.
func fixedHasher() -> TargetHasher {
    var generator = SeededGenerator(seed: 1)
    return TargetHasher(using: &generator)
}
