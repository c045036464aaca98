// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardNIOTestSupport
import HoardTesting
import HoardTransports
import Testing

/// Fields of every size from 1 byte to 256 KiB in steps of 97 bytes, many exchanges at once: each gets its own or an error of its own, and the connection
/// goes on.
///
/// Every run of the tests takes some of the sizes at random; `HOARD_HEAD_SWEEP=1` takes all.
@Suite(.timeLimit(.minutes(60)))
struct NIOTransportHeadSweepTests {
    private static let isWhole = ProcessInfo.processInfo.environment["HOARD_HEAD_SWEEP"] != nil
    private static var streamCount: Int { isWhole ? 50 : 13 }
    /// The most bytes of a response's head, of an interim one, or of its trailers.
    private static let limit = 64 * 1_024

    struct Kind: CustomTestStringConvertible, Sendable {
        let place: String
        /// All exchanges are those of one connection, so that earlier exchanges have filled its tables.
        let isHot: Bool

        var testDescription: String { "\(place), \(isHot ? "hot" : "cold")" }
    }

    @Test(arguments: ["head", "interim", "trailers", "request"].flatMap { [Kind(place: $0, isHot: false), Kind(place: $0, isHot: true)] })
    func everyExchangeHasItsOwnFields(_ kind: Kind) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var sizes = Array(stride(from: 1, through: 262_144, by: 97)).shuffled(using: &generator)
        if !Self.isWhole { sizes = (sizes.prefix(17) + [1, 2, 4, 16].flatMap { [$0 * 16_384 - 120, $0 * 16_384] }).shuffled(using: &generator) }
        let batches = stride(from: 0, to: sizes.count, by: Self.streamCount).map { Array(sizes[$0..<min($0 + Self.streamCount, sizes.count)]) }
        for group in kind.isHot ? [batches] : batches.map({ [$0] }) {
            try await NIOTransportHeadTests.with(
                // Coding so many fields takes long on a busy machine.
                { ($0.connectTimeout, $0.readTimeout) = (.seconds(3_600), .seconds(3_600)) },
                handler: NIOTransportHeadTests.echo
            ) { origin, transport in
                for batch in group {
                    try await withThrowingTaskGroup { tasks in
                        for size in batch { tasks.addTask { try await Self.exchange(size, kind, origin.port, transport, seed) } }
                        try await tasks.waitForAll()
                    }
                }
                #expect(origin.connections.value == 1, "seed \(seed)")
            }
        }
    }

    private static func exchange(_ size: Int, _ kind: Kind, _ port: Int, _ transport: NIOTransport, _ seed: UInt64) async throws {
        let note = Comment(rawValue: "\(kind.testDescription), \(size) bytes, seed \(seed)")
        let path = "/\(kind.place)/\(size)"
        let fields = kind.place == "request" ? NIOTransportHeadTests.fields(size) : [:]
        let interim = Shared<[HTTPFields]>([])
        let text: String
        let response: TransportResponse
        do {
            let request = HTTPRequest.get(path, port: port, fields)
            response = try await transport.send(request, body: .empty) { head in interim.update { $0.append(head.headerFields) } }
            text = try await response.text()
        } catch {
            // With the other fields it is a little more than that.
            #expect(kind.place != "request" && size > limit - 200 && error is TransportError, "\(note): \(error)")
            return
        }
        #expect(text == path, note)
        #expect(response.head.headerFields[text: "x-id"] == path, note)
        #expect(interim.value.count == (kind.place == "interim" ? 1 : 0), note)
        switch kind.place {
        case "interim":
            #expect(interim.value.first?[text: "x-id"] == path, note)
            #expect(interim.value.first?[text: "x-big"] == NIOTransportHeadTests.text(size), note)
        case "head": #expect(response.head.headerFields[text: "x-big"] == NIOTransportHeadTests.text(size), note)
        case "trailers":
            #expect(response.body.trailers?[text: "x-id"] == path, note)
            #expect(response.body.trailers?[text: "x-big"] == NIOTransportHeadTests.text(size), note)
        default: #expect(response.head.headerFields[text: "x-come"] == "\(size) true", note)
        }
    }
}
