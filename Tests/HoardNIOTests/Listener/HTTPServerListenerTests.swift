// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import NIOCore
import Testing

/// The addresses at which a server listens, and the number of connections that it takes.
@Suite(.timeLimit(.minutes(1)))
struct HTTPServerListenerTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func withSocketPath(_ body: (String) async throws -> Void) async throws {
        // Short, because the path of a socket has no room for more.
        let path = "/tmp/hoard-\(UInt32.random(in: .min ... .max)).sock"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path)
    }

    @Test func serverListensInSeveralPlaces() async throws {
        try await Self.withSocketPath { path in
            let listeners = [
                HTTPServer.Listener(.unix(path: path), isHTTP2Enabled: true), HTTPServer.Listener(.tcp(host: "127.0.0.1", port: 0)),
                HTTPServer.Listener(.tcp(host: "127.0.0.1", port: 0), tls: TestCertificate.first.credentials),
            ]
            try await withServer(
                .init(listeners: listeners),
                handler: { .text("\($0.head.scheme ?? "") '\($0.remoteAddress)' \($0.version)") },
                body: { server in
                    #expect(server.addresses.count == 3)
                    #expect(server.addresses[0] == .unix(path: path))
                    #expect(server.addresses[0].text == "unix:\(path)")
                    #expect(server.addresses[1] == .tcp(host: server.host, port: server.port))
                    guard case .tcp(_, let securePort) = server.addresses[2] else { throw TestFailure() }
                    let unix = try SocketAddress(unixDomainSocketPath: path)
                    let clients = [
                        (try await RawClient.connect(to: unix), "http '' HTTP/1.1"),
                        (try await RawClient.connect(port: server.port), "http '127.0.0.1' HTTP/1.1"),
                        (
                            try await RawClient.connect(
                                to: SocketAddress(ipAddress: "127.0.0.1", port: securePort),
                                tls: TestCertificate.clientContext()
                            ), "https '127.0.0.1' HTTP/1.1"
                        ),
                    ]
                    for (client, expected) in clients {
                        try await client.send(Self.request)
                        #expect(try await client.receiveResponse().content == expected)
                    }
                    let http2 = try await FrameClient(RawClient.connect(to: unix))
                    #expect(try await http2.exchange(1, FrameClient.get("/")).text == "http '' HTTP/2.0")
                    #expect(server.connectionCount == 4)
                    #expect(server.acceptedConnectionCount == 4)
                    withExtendedLifetime((clients, http2)) {}
                }
            )
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func socketOfADeadServerIsReplacedAndThatOfALiveOneIsNot() async throws {
        try await Self.withSocketPath { path in
            let configuration = HTTPServer.Configuration(listeners: [HTTPServer.Listener(.unix(path: path))])
            try await withServer(
                configuration,
                handler: { _ in .text("first") },
                body: { _ in
                    let error = try await #require(throws: HTTPServerError.self) {
                        _ = try await HTTPServer.start(configuration) { _ in .text("second") }
                    }
                    #expect(error.code == .addressInUse)
                    #expect(error.message == "Cannot listen on the socket \(path): another program listens there.")
                    let client = try await RawClient.connect(to: SocketAddress(unixDomainSocketPath: path))
                    try await client.send(Self.request)
                    #expect(try await client.receiveResponse().content == "first")
                    // Dead servers leave their sockets: here, under another name for a while.
                    try FileManager.default.linkItem(atPath: path, toPath: path + ".left")
                }
            )
            try FileManager.default.moveItem(atPath: path + ".left", toPath: path)
            try await withServer(
                configuration,
                handler: { _ in .text("second") },
                body: { _ in
                    let client = try await RawClient.connect(to: SocketAddress(unixDomainSocketPath: path))
                    try await client.send(Self.request)
                    #expect(try await client.receiveResponse().content == "second")
                }
            )
        }
    }

    @Test func fileThatIsNoSocketIsLeftAlone() async throws {
        try await Self.withSocketPath { path in
            try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
            let error = try await #require(throws: HTTPServerError.self) {
                _ = try await HTTPServer.start(.init(listeners: [HTTPServer.Listener(.unix(path: path))])) { _ in .text("") }
            }
            #expect(error.code == .addressInUse)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("precious".utf8))
        }
    }

    @Test func socketThatAnotherHasPutInItsPlaceIsLeftAlone() async throws {
        try await Self.withSocketPath { path in
            let server = try await HTTPServer.start(.init(listeners: [HTTPServer.Listener(.unix(path: path))])) { _ in .text("") }
            try FileManager.default.removeItem(atPath: path)
            try Data("other".utf8).write(to: URL(fileURLWithPath: path))
            await server.shutdown(gracePeriod: .zero)
            #expect(FileManager.default.fileExists(atPath: path))
        }
    }

    @Test(arguments: [
        ("", HTTPServerError.Code.invalidAddress), ("/no/such/directory/hoard.sock", .invalidAddress),
        ("/tmp/" + String(repeating: "x", count: 200), .invalidAddress),
    ])
    func pathThatCannotBeUsedIsNamed(_ path: String, _ code: HTTPServerError.Code) async throws {
        let error = try await #require(throws: HTTPServerError.self) {
            _ = try await HTTPServer.start(.init(listeners: [HTTPServer.Listener(.unix(path: path))])) { _ in .text("") }
        }
        #expect(error.code == code)
        #expect(error.message.hasSuffix("."))
    }

    @Test func oneListenerThatFailsEndsTheOthers() async throws {
        try await Self.withSocketPath { path in
            try await withServer(
                handler: { _ in .text("") },
                body: { taken in
                    let listeners = [HTTPServer.Listener(.unix(path: path)), HTTPServer.Listener(.tcp(host: "127.0.0.1", port: taken.port))]
                    await #expect(throws: HTTPServerError.self) { _ = try await HTTPServer.start(.init(listeners: listeners)) { _ in .text("") } }
                    #expect(!FileManager.default.fileExists(atPath: path))
                }
            )
        }
        await #expect(throws: HTTPServerError.self) { _ = try await HTTPServer.start(.init(listeners: [])) { _ in .text("") } }
    }

    @Test func oneAddressHasOnlySoManyConnections() async throws {
        var configuration = HTTPServer.Configuration()
        configuration.maximumConnectionCountPerAddress = 2
        try await withServer(
            configuration,
            handler: { _ in .text("ok") },
            body: { server in
                var clients: [RawClient] = []
                for _ in 0..<2 {
                    let client = try await RawClient.connect(port: server.port)
                    try await client.send(Self.request)
                    #expect(try await client.receiveResponse().content == "ok")
                    clients.append(client)
                }
                // It may be reset before the client knows that it is connected.
                let third = try? await RawClient.connect(port: server.port)
                #expect((try? await third?.receiveUntilClosed()) ?? "" == "")
                try await clients.removeLast().close()
                // The server learns of that in its own time.
                while true {
                    let next = try? await RawClient.connect(port: server.port)
                    try? await next?.send(Self.request)
                    if let response = try? await next?.receiveResponse() {
                        #expect(response.content == "ok")
                        break
                    }
                }
            }
        )
    }

    @Test func limitsAreReplacedForNewConnections() async throws {
        var configuration = HTTPServer.Configuration()
        configuration.maximumConnectionCount = 1
        try await withServer(
            configuration,
            handler: { _ in .text("ok") },
            body: { server in
                let early = try await RawClient.connect(port: server.port)
                try await early.send(Self.request)
                #expect(try await early.receiveResponse().status == 200)
                let late = try await RawClient.connect(port: server.port)
                try await late.send("GET /\(String(repeating: "x", count: 100)) HTTP/1.1\r\nHost: a\r\n\r\n")
                var changed = configuration
                changed.maximumConnectionCount = 10
                changed.maximumTargetByteCount = 50
                changed.listeners = []
                try server.update(changed)
                #expect(server.maximumConnectionCount == 10)
                #expect(try await late.receiveResponse().status == 414)
                try await early.send("GET /\(String(repeating: "x", count: 100)) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await early.receiveResponse().status == 200)
                changed.maximumTargetByteCount = 0
                #expect(throws: HTTPServerError.self) { try server.update(changed) }
            }
        )
    }

    @Test func contentThatIsTooLongIsRefused() async throws {
        var configuration = HTTPServer.Configuration()
        configuration.maximumRequestContentByteCount = 10
        let codes = Codes()
        try await withServer(
            configuration,
            handler: { request in
                do {
                    return .text(String(buffer: try await request.body.collect(upTo: 100)))
                } catch {
                    if let error = error as? RequestBodyError { codes.append(error.code) }
                    return .text("failed", .badGateway)
                }
            },
            body: { server in
                let announced = try await RawClient.connect(port: server.port)
                try await announced.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n1234567890")
                #expect(try await announced.receiveResponse().content == "1234567890")
                try await announced.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n")
                #expect(try await announced.receiveResponse().status == 413)
                _ = try await announced.receiveUntilClosed()
                let chunked = try await RawClient.connect(port: server.port)
                try await chunked.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n5\r\n67890\r\n0\r\n\r\n")
                #expect(try await chunked.receiveResponse().content == "1234567890")
                try await chunked.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n6\r\n678901\r\n")
                let response = try await chunked.receiveResponse()
                #expect(response.status == 413)
                #expect(response["connection"] == "close")
                #expect(response.content == "The request's content is longer than the server accepts.\n")
                #expect(try await chunked.receiveUntilClosed().isEmpty)
                #expect(codes.all == [.tooLarge])
            }
        )
    }
}
