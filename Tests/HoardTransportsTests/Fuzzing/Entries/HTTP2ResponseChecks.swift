// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

@testable import HoardTransports

/// The rules for all bytes that an origin may send on a connection of HTTP/2 with three requests on
/// their way: GET, HEAD and POST.
package enum HTTP2ResponseChecks {
    /// Tries one input. Throws a finding if something about the result is wrong.
    @Sendable package static func check(_ bytes: [UInt8]) throws {
        let input = FuzzInput(bytes: bytes)
        let whole = try receive([bytes], oneByOne: false)
        for pieces in [input.singleBytes, input.pieces(upTo: 24), input.pieces(upTo: 200)] {
            let cut = try receive(pieces, oneByOne: false)
            try FuzzInput.require(cut == whole, "In one piece: \(whole). In several: \(cut).")
        }
        // Bytes that are sent between two pieces may change the outcome of the second piece, unless
        // the pieces are responses only.
        let cut = try receive(input.pieces(upTo: 50), oneByOne: true)
        guard FuzzedFrame.areMessagesOnly(FuzzedFrame.read(bytes).frames), !whole.hasErrors, !cut.hasErrors else { return }
        try FuzzInput.require(cut.responses == whole.responses, "In one piece: \(whole). One piece after another: \(cut).")
    }

    private struct Outcome: Equatable {
        var responses: [FuzzedResponse]
        var frames: [FuzzedFrame]
        var isOpen: Bool

        /// Whether the client has given up a stream or the connection.
        var hasErrors: Bool {
            frames.contains { $0.kind == FuzzedFrame.reset || $0.kind == FuzzedFrame.goAway && $0.payload.dropFirst(4).contains { $0 != 0 } }
        }
    }

    /// - Parameter oneByOne: Whether each piece is dealt with before the next one comes, and the
    ///   first of them brings settings.
    private static func receive(_ pieces: [[UInt8]], oneByOne: Bool) throws -> Outcome {
        weak var connection: AnyObject?
        let outcome = try receive(pieces, oneByOne: oneByOne) { connection = $0 }
        try FuzzInput.require(connection == nil, "The connection stays in memory.")
        return outcome
    }

    private static func receive(_ pieces: [[UInt8]], oneByOne: Bool, begin: (AnyObject) -> Void) throws -> Outcome {
        let connection = try FuzzedOriginConnection(hasSettings: !oneByOne)
        begin(connection.channel)
        for piece in pieces where connection.isOpen {
            connection.receive(piece)
            if oneByOne { connection.completeRead() }
        }
        connection.completeRead()
        let isOpen = connection.isOpen
        // Behind the client's preface.
        let sent = FuzzedFrame.read(Array(try connection.sent().dropFirst(24)))
        connection.finish()
        let responses = connection.responses
        try FuzzInput.require(sent.rest == 0, "The client has sent a part of a frame.")
        try FuzzInput.require(sent.frames.first?.kind == FuzzedFrame.settings, "The client has not sent its settings first.")
        for response in responses { try check(response) }
        return Outcome(responses: responses, frames: FuzzedFrame.byStream(sent.frames), isOpen: isOpen)
    }

    private static func check(_ response: FuzzedResponse) throws {
        guard let result = response.result else { throw FuzzInput.Finding(description: "A request has got neither a response nor an error.") }
        guard case .success(let answer) = result, let content = answer.content else { return }
        try FuzzInput.require(answer.status >= 200 && answer.status < 1_000, "The final response has the status \(answer.status).")
        if response.method == .head { try FuzzInput.require(content.readableBytes == 0, "A response to HEAD has content.") }
        guard response.method != .head, answer.status != 204, answer.status != 304, let length = answer.fields[.contentLength] else { return }
        try FuzzInput.require(Int(length) == content.readableBytes, "Of \(length) bytes, \(content.readableBytes) have come.")
    }
}
