// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

@testable import HoardNIO

/// The rules for the requests that a connection of HTTP/1 hands on.
enum ConnectionChecks {
    static func check(_ input: FuzzInput) throws {
        let parsed = try checkCuts(of: input, answersAtOnce: false)
        let scanned = try checkCuts(of: input, answersAtOnce: true)
        try compare(scanned, with: parsed.withoutFields, input)
    }

    private static func checkCuts(of input: FuzzInput, answersAtOnce: Bool) throws -> Outcome {
        let whole = try receive([input.bytes], answersAtOnce: answersAtOnce)
        for pieces in [input.singleBytes, input.pieces(upTo: 24), input.pieces(upTo: 200)] {
            try compare(try receive(pieces, answersAtOnce: answersAtOnce), with: whole, input)
        }
        return whole
    }

    private struct Outcome: Equatable {
        var requests: [FuzzedRequest]
        /// Whether the server has answered something by itself, and has closed the connection.
        var isRefused: Bool
        var isOpen: Bool

        var withoutFields: Outcome {
            var outcome = self
            for index in requests.indices { outcome.requests[index].fields = [:] }
            return outcome
        }
    }

    private static func compare(_ cut: Outcome, with whole: Outcome, _ input: FuzzInput) throws {
        // The cuts decide how much content in chunks has come when it turns out to be too long, and so
        // whether the rest of it is waited for.
        guard input.contains("transfer-encoding") else {
            return try FuzzInput.require(cut == whole, "Once: \(whole). Otherwise: \(cut).")
        }
        let count = min(cut.requests.count, whole.requests.count)
        try FuzzInput.require(cut.requests[..<count] == whole.requests[..<count], "Once: \(whole). Otherwise: \(cut).")
        for outcome in [cut, whole] where outcome.requests.count == count && cut.requests.count != whole.requests.count {
            try FuzzInput.require(outcome.isRefused, "Requests are missing. Once: \(whole). Otherwise: \(cut).")
        }
    }

    private static func receive(_ pieces: [[UInt8]], answersAtOnce: Bool) throws -> Outcome {
        let connection = try FuzzedConnection(answersAtOnce: answersAtOnce)
        defer { connection.finish() }
        for piece in pieces {
            guard connection.isOpen else { break }
            try FuzzInput.require(connection.isReading, "The connection does not read, and waits for nothing else.")
            try connection.receive(piece)
        }
        connection.closeInput()
        return Outcome(requests: connection.requests, isRefused: try connection.hasRefused(), isOpen: connection.isOpen)
    }
}
