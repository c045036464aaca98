// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import NIOHPACK
import Testing

/// Fields of every size from 1 byte to 256 KiB in steps of 97 bytes, many streams at once: each stream gets its own or an error of its own, and the
/// connection goes on.
///
/// Every run of the tests takes some of the sizes at random; `HOARD_HEAD_SWEEP=1` takes all.
@Suite(.timeLimit(.minutes(60)))
struct HTTP2ServerHeadSweepTests {
    private static let isWhole = ProcessInfo.processInfo.environment["HOARD_HEAD_SWEEP"] != nil
    private static var streamCount: Int { isWhole ? 50 : 13 }

    struct Kind: CustomTestStringConvertible {
        let place: String
        /// All streams are those of one connection, so that earlier streams have filled its tables.
        let isHot: Bool

        var testDescription: String { "\(place), \(isHot ? "hot" : "cold")" }
    }

    private static func sizes(_ generator: inout SeededGenerator) -> [Int] {
        let all = Array(stride(from: 1, through: 262_144, by: 97))
        guard !isWhole else { return all.shuffled(using: &generator) }
        let borders = [1, 2, 4, 16].flatMap { [$0 * 16_384 - 120, $0 * 16_384] }
        return Array(all.shuffled(using: &generator).prefix(17) + borders).shuffled(using: &generator)
    }

    @Test(arguments: ["head", "trailers", "request"].flatMap { [Kind(place: $0, isHot: false), Kind(place: $0, isHot: true)] })
    func everyStreamHasItsOwnFields(_ kind: Kind) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var sizes = Self.sizes(&generator)
        let handler: HTTPServer.Handler = kind.place == "request" ? HTTP2ServerHeadTests.measure : HTTP2ServerHeadTests.answer
        var configuration = HTTPServer.Configuration.http2
        // Coding so many fields takes long on a busy machine.
        (configuration.bodyTimeout, configuration.writeTimeout) = (.seconds(3_600), .seconds(3_600))
        try await withServer(configuration, handler: handler) { server in
            var client: FrameClient?
            var stream = 1
            while !sizes.isEmpty {
                if client == nil || !kind.isHot { (client, stream) = (try await .connect(port: server.port), 1) }
                guard let client else { return }
                let batch = Array(sizes.prefix(Self.streamCount))
                sizes.removeFirst(batch.count)
                var streams: [(Int, Int)] = []
                for size in batch {
                    let fields = kind.place == "request" ? [("x-id", "request \(size)"), ("x-big", HTTP2ServerHeadTests.text(size))] : []
                    client.client.sendLater(FrameClient.bytes(try client.frames(stream, FrameClient.get("/\(kind.place)/\(size)", fields))))
                    streams.append((stream, size))
                    stream += 2
                }
                for (stream, size) in streams {
                    let response = try await client.take(stream)
                    Self.check(response, size, kind, seed)
                }
                #expect(client.goAways.isEmpty, "seed \(seed)")
                #expect(client.longestFrame <= 16_384, "seed \(seed)")
            }
        }
    }

    private static func check(_ response: FrameClient.Response, _ size: Int, _ kind: Kind, _ seed: UInt64) {
        let note = Comment(rawValue: "\(kind.testDescription), \(size) bytes, seed \(seed)")
        guard kind.place == "request" else {
            let fields = kind.place == "trailers" ? response.trailers : response.head
            #expect(fields?.first(name: "x-id") == "\(kind.place) \(size)", note)
            #expect(fields?.first(name: "x-big") == HTTP2ServerHeadTests.text(size), note)
            #expect(response.text == "\(size)", note)
            return
        }
        // With the other fields and the target it is a little more than that.
        if size + 40 > 65_536 {
            #expect(response.status == "431" || size < 65_536 && response.status == "200", note)
        } else {
            #expect(response.head.first(name: "x-id") == "request \(size)", note)
            #expect(response.head.first(name: "x-length") == "\(size) true", note)
        }
    }
}
