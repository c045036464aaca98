// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import NIOHPACK
import Synchronization
import Testing

@testable import HoardWire

/// Heads and trailers that need more than one frame: no stream loses its fields, and none gets those of another stream.
@Suite(.timeLimit(.minutes(5)))
struct HTTP2ServerHeadTests {
    private typealias Client = FrameClient

    /// Text whose Huffman code takes eight bits for each character, so that the encoded text
    /// is as long as the text itself.
    static func text(_ byteCount: Int) -> String { String(repeating: "X", count: byteCount) }

    /// Answers as the path says: `/where/byteCount`, with fields that only this response has.
    @Sendable static func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse {
        let parts = (request.head.path ?? "").split(separator: "/")
        let (place, byteCount) = (parts.first ?? "", parts.last.flatMap { Int($0) } ?? 0)
        var own = HTTPFields()
        own[text: "x-id"] = "\(place) \(byteCount)"
        own[text: "x-big"] = text(byteCount)
        switch place {
        case "head": return .text("\(byteCount)", .ok, own)
        case "bare": return HTTPServerResponse(head: HTTPResponse(status: .ok, headerFields: own), body: .empty)
        case "interim":
            await request.sendInterimResponse(HTTPResponse(status: .init(code: 103), headerFields: own))
            return .text("\(byteCount)")
        case "trailers":
            let trailers = own
            return HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(Parts.texts("\(byteCount)"), length: nil) { trailers })
        default:
            own[text: "x-big"] = nil
            return .text("ok", .ok, own)
        }
    }

    @Test(arguments: ["head", "bare", "interim", "trailers"])
    func fieldsThatNeedSeveralFramesAreSentAndTheNextStreamsHaveTheirOwn(_ place: String) async throws {
        try await withServer(.http2, handler: Self.answer) { server in
            let client = try await Client.connect(port: server.port)
            let first = try await client.exchange(1, Client.get("/ok/1"))
            #expect(first.head.first(name: "x-id") == "ok 1")
            let big = try await client.exchange(3, Client.get("/\(place)/30000"))
            let fields = place == "trailers" ? big.trailers : place == "interim" ? big.interim.first : big.head
            #expect(fields?.first(name: "x-id") == "\(place) 30000")
            #expect(fields?.first(name: "x-big") == Self.text(30_000))
            #expect(big.text == (place == "bare" ? "" : "30000"))
            #expect(big.resetCode == nil)
            for stream in [5, 7] {
                let next = try await client.exchange(stream, Client.get("/ok/\(stream)"))
                #expect(next.head.first(name: "x-id") == "ok \(stream)")
                #expect(next.head.first(name: "x-big") == nil)
            }
            #expect(client.longestFrame <= 16_384)
            #expect(client.goAways.isEmpty)
        }
    }

    /// Every length of an encoded head from well below a frame's to just above it.
    @Test func headsAroundTheLengthOfAFrameArriveWhole() async throws {
        try await withServer(.http2, handler: Self.answer) { server in
            let client = try await Client.connect(port: server.port)
            var counts: Set<Int> = []
            var stream = 1
            for byteCount in 16_240...16_400 {
                let response = try await client.exchange(stream, Client.get("/bare/\(byteCount)"))
                counts.insert(client.headFrameCount)
                #expect(response.head.first(name: "x-big")?.utf8.count == byteCount)
                #expect(response.head.first(name: "x-id") == "bare \(byteCount)")
                stream += 2
            }
            #expect(counts == [1, 2])
            #expect(client.longestFrame == 16_384)
        }
    }

    @Test func clientThatTakesLongerFramesGetsThem() async throws {
        try await withServer(.http2, handler: Self.answer) { server in
            let client = try await Client.connect(port: server.port, settings: [(SettingNames.frameSize, 40_000)])
            #expect(try await client.exchange(1, Client.get("/bare/39000")).head.first(name: "x-big") == Self.text(39_000))
            #expect(client.headFrameCount == 1)
            #expect(try await client.exchange(3, Client.get("/bare/50000")).head.first(name: "x-big") == Self.text(50_000))
            #expect(client.headFrameCount == 2)
            #expect(client.longestFrame == 40_000)
            // It changes its mind.
            var payload = ByteBuffer()
            payload.writeMultipleIntegers(SettingNames.frameSize, UInt32(16_384))
            try await client.send(.init(kind: .settings, payload: payload))
            #expect(try await client.exchange(5, Client.get("/bare/39000")).head.first(name: "x-big") == Self.text(39_000))
            #expect(client.headFrameCount == 3)
        }
    }

    @Test(arguments: ["head", "bare", "trailers", "interim"])
    func whatTheClientDoesNotTakeIsAnErrorOfItsStreamAlone(_ place: String) async throws {
        try await withServer(.http2, handler: Self.answer) { server in
            let client = try await Client.connect(port: server.port, settings: [(SettingNames.listSize, 2_000)])
            #expect(try await client.exchange(1, Client.get("/ok/1")).head.first(name: "x-id") == "ok 1")
            let big = try await client.exchange(3, Client.get("/\(place)/3000"))
            switch place {
            case "trailers": #expect(big.resetCode == 2)
            case "interim":
                #expect(big.interim.isEmpty)
                #expect(big.status == "200")
            default:
                #expect(big.status == "500")
                #expect(big.head.first(name: "x-id") == nil)
            }
            #expect(try await client.exchange(5, Client.get("/ok/5")).head.first(name: "x-id") == "ok 5")
            #expect(try await client.exchange(7, Client.get("/\(place)/100")).isComplete)
        }
    }

    @Test func tooLargeHeadIsAnErrorOfItsStreamAlone() async throws {
        try await withServer(.http2, handler: Self.answer) { server in
            let client = try await Client.connect(port: server.port)
            #expect(try await client.exchange(1, Client.get("/bare/2000000")).status == "500")
            #expect(try await client.exchange(3, Client.get("/ok/3")).head.first(name: "x-id") == "ok 3")
        }
    }

    // MARK: The first flight

    /// Answers with the length of the request's field `x-big`, and whether it has come unchanged.
    @Sendable static func measure(_ request: HTTPServerRequest) async -> HTTPServerResponse {
        let big = request.head.headerFields[text: "x-big"] ?? ""
        var fields = HTTPFields()
        fields[text: "x-id"] = request.head.headerFields[text: "x-id"]
        fields[text: "x-length"] = "\(big.utf8.count) \(big == text(big.utf8.count))"
        return .text("ok", .ok, fields)
    }

    /// All that a client sends before it has heard anything.
    @Test(arguments: [(16_000, "200"), (16_384, "200"), (40_000, "200"), (65_000, "200"), (70_000, "431"), (262_144, "431")])
    func headOfTheFirstFlightMayBeAsLongAsAnyOther(_ byteCount: Int, _ status: String) async throws {
        try await withServer(.http2, handler: Self.measure) { server in
            let client = try await Client.connect(port: server.port)
            try await client.request(1, Client.get("/", [("x-big", Self.text(byteCount))]))
            try await client.request(3, Client.get("/"))
            let response = try await client.response(on: 1)
            #expect(response.status == status)
            if status == "200" { #expect(response.head.first(name: "x-length") == "\(byteCount) true") }
            #expect(try await client.response(on: 3).status == "200")
            #expect(try await client.exchange(5, Client.get("/")).status == "200")
            #expect(client.goAways.isEmpty)
        }
    }

    @Test func authorityIsNoWayAroundTheLimit() async throws {
        try await withServer(.http2, handler: { _ in .text("ok") }) { server in
            let client = try await Client.connect(port: server.port)
            let fields = [(":method", "GET"), (":scheme", "http"), (":authority", Self.text(100_000)), (":path", "/")]
            #expect(try await client.exchange(1, fields).status == "431")
            #expect(try await client.exchange(3, Client.get("/")).status == "200")
        }
    }

    // MARK: More streams than announced

    /// - Parameter heard: Whether the client has acknowledged the server's settings before.
    @Test(arguments: [false, true])
    func streamsBeyondTheLimitAreRefusedAndTheOthersGoOn(_ heard: Bool) async throws {
        let door = Signal()
        let begun = Counter()
        try await withServer(
            .http2,
            handler: { request in
                if request.head.path == "/slow" {
                    begun.add()
                    await door.wait()
                }
                return .text("ok")
            },
            body: { server in
                let client = try await Client.connect(port: server.port)
                var stream = 1
                if heard {
                    #expect(try await client.exchange(stream, Client.get("/")).text == "ok")
                    stream += 2
                }
                var frames: [Client.Frame] = []
                let valid = (0..<100).map { stream + 2 * $0 }
                let excess = (100..<120).map { stream + 2 * $0 }
                for stream in valid + excess { frames += try client.frames(stream, Client.get("/slow")) }
                try await client.client.send(Client.bytes(frames))
                for stream in excess { #expect(try await client.response(on: stream).resetCode == Client.refusedStream) }
                await begun.wait(for: 100)
                door.fire()
                for stream in valid {
                    let response = try await client.response(on: stream)
                    #expect(response.text == "ok")
                    #expect(response.resetCode == nil)
                }
                // There is room again.
                #expect(try await client.exchange(999, Client.get("/")).text == "ok")
                #expect(begun.value == 100)
                #expect(client.goAways.isEmpty)
            }
        )
    }

    @Test func settingsAreAnnouncedAsTheyAreKept() async throws {
        var configuration = HTTPServer.Configuration.http2
        configuration.maximumStreamCount = 7
        try await withServer(configuration, handler: { _ in .text("") }) { server in
            let client = try await Client.connect(port: server.port)
            var payload = try await client.receiveFrame().payload
            var settings: [UInt16: UInt32] = [:]
            while let (name, value) = payload.readMultipleIntegers(as: (UInt16, UInt32).self) { settings[name] = value }
            #expect(settings[3] == 7)
            #expect(settings[SettingNames.listSize] == UInt32(80 * 1_024 + 32 * 260))
        }
    }

    @Test func acknowledgementsThatNothingWasSentForEndTheConnection() async throws {
        try await withServer(.http2, handler: { _ in .text("ok") }) { server in
            let client = try await Client.connect(port: server.port)
            for _ in 0..<3 { try await client.send(.init(kind: .settings, flags: 1)) }
            let goAway = await client.receiveUntilClosed()
            #expect(goAway.map { $0.errorCode == Client.protocolError } ?? true)
        }
    }
}

enum SettingNames {
    static let frameSize: UInt16 = 5
    static let listSize: UInt16 = 6
}
