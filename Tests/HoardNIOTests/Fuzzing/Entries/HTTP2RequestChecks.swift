// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

@testable import HoardNIO
@testable import HoardWire

/// The rules for all bytes that a client of HTTP/2 may send behind its preface.
package enum HTTP2RequestChecks {
    /// Tries one input. Throws a finding if something about the result is wrong.
    @Sendable package static func check(_ bytes: [UInt8]) throws {
        let input = FuzzInput(bytes: Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + bytes)
        let cuts = [input.singleBytes, input.pieces(upTo: 24), input.pieces(upTo: 200)]
        for isServer in [true, false] {
            let whole = incoming([isServer ? input.bytes : bytes], isServer: isServer)
            for pieces in isServer ? cuts : [FuzzInput(bytes: bytes).singleBytes] {
                try FuzzInput.require(incoming(pieces, isServer: isServer) == whole, "The codec gets other bytes if they come in pieces.")
            }
        }
        let whole = try receive([input.bytes], oneByOne: false)
        let changesSettings = FuzzedFrame.changeSettings(FuzzedFrame.read(bytes).frames)
        for pieces in cuts {
            var cut = try receive(pieces, oneByOne: false)
            if changesSettings { cut.frames = whole.frames }
            try FuzzInput.require(cut == whole, "In one piece: \(whole). In several: \(cut).")
        }
        // An answer between two pieces may change the outcome of the second piece, unless the pieces are requests only.
        let cut = try receive(input.pieces(upTo: 50), oneByOne: true)
        guard FuzzedFrame.areRequestsOnly(FuzzedFrame.read(bytes).frames), !whole.hasErrors, !cut.hasErrors else { return }
        try FuzzInput.require(cut.requests == whole.requests, "In one piece: \(whole). One piece after another: \(cut).")
    }

    private static func incoming(_ pieces: [[UInt8]], isServer: Bool) -> [UInt8] {
        var frames = IncomingFrames(isServer: isServer)
        return pieces.reduce(into: []) { $0 += frames.read(ByteBuffer(bytes: $1)).readableBytesView }
    }

    private struct Outcome: Equatable {
        var requests: [FuzzedRequest]
        var frames: [FuzzedFrame]
        var isOpen: Bool

        /// Whether a stream or the connection has ended otherwise than by a response.
        var hasErrors: Bool { !isOpen || frames.contains { $0.kind == FuzzedFrame.reset || $0.kind == FuzzedFrame.goAway } }
    }

    /// - Parameter oneByOne: Whether each piece is dealt with before the next one comes.
    private static func receive(_ pieces: [[UInt8]], oneByOne: Bool) throws -> Outcome {
        weak var connection: AnyObject?
        let outcome = try receive(pieces, oneByOne: oneByOne) { connection = $0 }
        try FuzzInput.require(connection == nil, "The connection stays in memory.")
        return outcome
    }

    private static func receive(_ pieces: [[UInt8]], oneByOne: Bool, begin: (AnyObject) -> Void) throws -> Outcome {
        let connection = try FuzzedHTTP2Connection()
        begin(connection.channel)
        defer { connection.finish() }
        for piece in pieces where connection.isOpen {
            connection.receive(piece)
            if oneByOne { connection.completeRead() }
        }
        connection.completeRead()
        let sent = FuzzedFrame.read(try connection.sent())
        try FuzzInput.require(sent.rest == 0, "The server has sent a part of a frame.")
        try FuzzInput.require(sent.frames.first?.kind == FuzzedFrame.settings, "The server has not sent its settings first.")
        return Outcome(requests: connection.requests, frames: FuzzedFrame.byStream(sent.frames), isOpen: connection.isOpen)
    }
}
