// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import HoardTransports
import HoardWire
import NIOCore
import NIOHPACK
import Synchronization
import Testing

/// Heads and trailers that need more than one frame, and the effects of an exchange on others of its connection.
@Suite(.timeLimit(.minutes(5)))
struct NIOTransportHeadTests {
    static func with(
        settings: [(UInt16, UInt32)] = [],
        _ change: (inout NIOTransport.Configuration) -> Void = { _ in },
        handler: @escaping FrameOrigin.Handler,
        body: (FrameOrigin, NIOTransport) async throws -> Void
    ) async throws {
        let origin = try await FrameOrigin.start(settings: settings, handler: handler)
        try await withNIOTransport({
            $0.version = .http2
            change(&$0)
        }) { transport in
            try await body(origin, transport)
        }
        withExtendedLifetime(origin) {}
    }

    /// Text whose Huffman code takes eight bits for each character, so that the encoded text
    /// is as long as the text itself.
    static func text(_ byteCount: Int) -> String { String(repeating: "X", count: byteCount) }

    static func fields(_ byteCount: Int) -> HTTPFields {
        var fields = HTTPFields()
        fields[text: "x-big"] = text(byteCount)
        return fields
    }

    /// Describes the request, and sends fields of the size that the path asks for: `/head/30000`,
    /// `/interim/30000`, `/trailers/30000`.
    @Sendable static func echo(_ request: FrameOrigin.Request, _ connection: FrameOriginConnection) {
        let parts = request.path.split(separator: "/")
        let byteCount = parts.last.flatMap { Int($0) } ?? 0
        let come = request.fields.first(name: "x-big") ?? ""
        let isWhole = come == text(come.utf8.count) && connection.violation == nil
        let own = [("x-id", request.path), ("x-come", "\(come.utf8.count) \(isWhole)"), ("x-frames", "\(request.headFrameCount)")]
        let big = [("x-big", text(byteCount))]
        switch parts.first {
        case "head": connection.respond(request.path, own + big, stream: request.stream)
        case "interim":
            connection.fields([(":status", "103")] + own + big, stream: request.stream, ends: false)
            connection.respond(request.path, own, stream: request.stream)
        case "trailers": connection.respond(request.path, own, stream: request.stream, trailers: own + big)
        default: connection.respond(request.path, own, stream: request.stream)
        }
    }

    @Test func requestThatNeedsSeveralFramesIsSentAndOthersHaveTheirOwn() async throws {
        try await Self.with(handler: Self.echo) { origin, transport in
            for byteCount in [1, 30_000, 5, 60_000, 16_384, 2] {
                let path = "/ok/\(byteCount)"
                let response = try await transport.send(.get(path, port: origin.port, Self.fields(byteCount)), body: .empty)
                #expect(response.head.headerFields[text: "x-id"] == path)
                #expect(response.head.headerFields[text: "x-come"] == "\(byteCount) true")
                #expect(response.head.headerFields[text: "x-frames"] == "\(byteCount / 16_384 + 1)")
                #expect(try await response.text() == path)
            }
            #expect(origin.connections.value == 1)
        }
    }

    @Test(arguments: ["head", "interim", "trailers"])
    func responseThatNeedsSeveralFramesIsReadAndOneThatIsTooLargeFailsAlone(_ place: String) async throws {
        try await Self.with(handler: Self.echo) { origin, transport in
            for byteCount in [1, 30_000, 100_000, 5, 262_144, 60_000] {
                let path = "/\(place)/\(byteCount)"
                let interim = Shared<[HTTPResponse]>([])
                let sent = Task {
                    try await transport.send(.get(path, port: origin.port), body: .empty) { response in interim.update { $0.append(response) } }
                }
                let other = try await transport.text(.get("/ok/1", port: origin.port))
                #expect(other == "/ok/1")
                guard byteCount < 65_536 else {
                    let error = await #expect(throws: TransportError.self) { _ = try await sent.value.text() }
                    #expect(error?.code == .invalidResponse)
                    #expect(interim.value.isEmpty)
                    continue
                }
                let response = try await sent.value
                #expect(try await response.text() == path)
                #expect(interim.value.map(\.status.code) == (place == "interim" ? [103] : []))
                let fields =
                    switch place {
                    case "head": response.head.headerFields
                    case "interim": interim.value.first?.headerFields
                    default: response.body.trailers
                    }
                #expect(fields?[text: "x-big"] == Self.text(byteCount))
                #expect(fields?[text: "x-id"] == path)
            }
            #expect(origin.connections.value == 1)
        }
    }

    @Test func requestThatTheOriginDoesNotTakeIsNotSent() async throws {
        try await Self.with(settings: [(6, 1_000)], handler: Self.echo) { origin, transport in
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(.get("/", port: origin.port, Self.fields(1_000)), body: .empty)
            }
            #expect(error?.code == .requestTooLarge)
            #expect(error?.message == "The origin at 127.0.0.1 port \(origin.port) takes no request with fields as long as those of this one.")
            let text = try await transport.text(.get("/ok/1", port: origin.port))
            #expect(text == "/ok/1")
            #expect(origin.connections.value == 1)
        }
    }

    // MARK: What one exchange does to others

    struct Harm: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let others: TransportError.Progress?
        let `do`: @Sendable (FrameOriginConnection, UInt32) -> Void

        init(_ name: String, others: TransportError.Progress?, _ harm: @escaping @Sendable (FrameOriginConnection, UInt32) -> Void) {
            (testDescription, self.others, self.do) = (name, others, harm)
        }
    }

    static let harms = [
        Harm("reset", others: nil) { $0.reset($1, 2) },
        Harm("window of the stream", others: nil) {
            $0.windowUpdate($1, 0x7FFF_FFFF)
            $0.reset($1, 3)
        },
        Harm("malformed head", others: nil) { $0.fields([("x-a", "b")], stream: $1, ends: true, flushes: true) },
        Harm("content without a head", others: nil) { $0.write(0, stream: $1, payload: ByteBuffer(string: "x")) },
        Harm("more content than announced", others: nil) {
            $0.fields([(":status", "200"), ("content-length", "1")], stream: $1, ends: false)
            $0.write(0, flags: 1, stream: $1, payload: ByteBuffer(string: "xyz"))
        },
        Harm("window of the connection", others: .lostWithOthers(mayBeProcessed: true)) { connection, _ in connection.windowUpdate(0, 0x7FFF_FFFF) },
        Harm("frame that is too long", others: .lostWithOthers(mayBeProcessed: true)) {
            $0.write(0, stream: $1, payload: ByteBuffer(repeating: 0, count: 20_000))
        },
        Harm("garbage in a head", others: .lostWithOthers(mayBeProcessed: true)) {
            $0.write(1, flags: 4, stream: $1, payload: ByteBuffer(bytes: [0xFF, 0xFF, 0xFF, 0xFF]))
        },
        Harm("closed", others: .lostWithOthers(mayBeProcessed: true)) { connection, _ in connection.close() },
        Harm("goes away with an error at once", others: .lostWithOthers(mayBeProcessed: false)) { connection, _ in
            connection.goAway(lastStream: 0, 1)
            connection.close()
        },
        Harm("goes away and closes", others: .lostWithOthers(mayBeProcessed: true)) { connection, _ in
            connection.goAway(lastStream: 0x7FFF_FFFF, 11)
            connection.close()
        },
        Harm("goes away", others: .lostWithOthers(mayBeProcessed: false)) {
            $0.goAway(lastStream: $1, 0)
            $0.respond("harm", stream: $1)
        },
    ]

    /// The one that does harm is the second of three that are in progress.
    @Test(arguments: harms)
    func whatIsWrongWithOneExchangeIsNoFailureOfOthers(_ harm: Harm) async throws {
        let come = Counter()
        try await Self.with(handler: { request, connection in
            if request.path == "/5" {
                harm.do(connection, 3)
                connection.respond("before", stream: 1)
            }
            if request.path == "/5" || request.path == "/after" { connection.respond(request.path, stream: request.stream) }
            come.add()
        }) { origin, transport in
            let port = origin.port
            var tasks: [Task<String, any Error>] = []
            for number in [1, 3, 5] {
                tasks.append(Task { try await transport.text(.get("/\(number)", port: port)) })
                await come.wait(for: tasks.count)
            }
            let results = (await tasks[0].result, await tasks[1].result, await tasks[2].result)
            func progress(_ result: Result<String, any Error>) -> TransportError.Progress? {
                #expect(throws: TransportError.self) { try result.get() }
                guard case .failure(let error as TransportError) = result else { return nil }
                return error.progress
            }
            switch harm.others {
            case nil:
                #expect(throws: TransportError.self) { try results.1.get() }
                #expect(try results.0.get() == "before")
                #expect(try results.2.get() == "/5")
            case _ where harm.testDescription == "goes away":
                // Those up to the last one go on to their end.
                #expect(try results.0.get() == "before")
                #expect(try results.1.get() == "harm")
                #expect(progress(results.2) == harm.others)
            case let expected?:
                #expect(throws: TransportError.self) { try results.1.get() }
                #expect(progress(results.0) == expected)
                #expect(progress(results.2) == expected)
            }
            let text = try await transport.text(.get("/after", port: port))
            #expect(text == "/after")
            #expect(origin.connections.value == (harm.others == nil ? 1 : 2))
        }
    }
}
