// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIOTestSupport
import HoardTesting
import HoardTransports
import NIOCore
import NIOHPACK
import Testing

/// The version of HTTP for each encrypted origin, and the server that the transport trusts.
@Suite(.timeLimit(.minutes(5)))
struct NIOTransportAgreementTests {
    private static func with(_ version: NIOTransport.Version, body: (NIOTransport) async throws -> Void) async throws {
        try await TestCertificate.first.withFile { path in
            try await withNIOTransport(
                {
                    $0.version = version
                    $0.additionalTrustRootsPath = path
                },
                body: body
            )
        }
    }

    @Test(arguments: [NIOTransport.Version.http2, .automatic])
    func originThatAgreesIsSpokenToInHTTP2(_ version: NIOTransport.Version) async throws {
        try await withHTTP2Origin(protocols: ["h2", "http/1.1"], handler: { $0.respond("\($0.fields.first(name: ":scheme") ?? "")") }) { origin in
            try await Self.with(version) { transport in
                let port = origin.port
                try await withThrowingTaskGroup { group in
                    for _ in 0..<20 {
                        group.addTask {
                            let text = try await transport.text(.get(port: port, scheme: "https"))
                            #expect(text == "https")
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(origin.connections.value == 1)
                #expect(transport.connectionCount(to: OriginServer(isSecure: true, host: "127.0.0.1", port: port)) == 1)
            }
        }
    }

    @Test func originThatDoesNotAgreeIsSpokenToInHTTP1OnAsManyConnectionsAsNeeded() async throws {
        let begun = Counter()
        let door = Signal()
        let reply: @Sendable (String) -> RawOrigin.Reply = { _ in
            begun.add()
            return .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
        }
        try await withRawOrigin(isSecure: true, reply: reply) { origin in
            try await Self.with(.automatic) { transport in
                let port = origin.port
                let requests = (0..<5).map { _ in
                    Task {
                        let response = try await transport.send(.get(port: port, scheme: "https"), body: .empty)
                        await door.wait()
                        withExtendedLifetime(response) {}
                    }
                }
                // Each request has its own connection, because none of the responses ends.
                await begun.wait(for: 5)
                door.fire()
                for request in requests { try await request.value }
            }
        }
    }

    @Test func originThatHasToSpeakHTTP2AndDoesNotIsToldAtOnce() async throws {
        try await withRawOrigin(isSecure: true, reply: { _ in .nothing }) { origin in
            try await Self.with(.http2) { transport in
                let error = try await #require(throws: TransportError.self) {
                    _ = try await transport.send(.get(port: origin.port, scheme: "https"), body: .empty)
                }
                #expect(error.code == .invalidResponse || error.code == .tlsFailed)
                #expect(error.progress == .notProcessed)
            }
        }
    }

    @Test func serverNeedNotBeTheAuthority() async throws {
        let host = { @Sendable (head: String) in head.split(separator: "\r\n").first { $0.hasPrefix("Host: ") } ?? "" }
        let reply: @Sendable (String) -> RawOrigin.Reply = { .send("HTTP/1.1 200 OK\r\nContent-Length: \(host($0).utf8.count)\r\n\r\n\(host($0))") }
        try await withRawOrigin(isSecure: true, reply: reply) { origin in
            try await Self.with(.http1) { transport in
                let request = HTTPRequest(method: .get, scheme: "https", authority: "shop.example", path: "/")
                let named = try OriginServer(scheme: "https", authority: "localhost:\(origin.port)")
                let response = try await transport.send(request, body: .empty, to: named, onNewConnection: false, onInterimResponse: nil)
                #expect(try await response.text() == "Host: shop.example")
                // The certificate must be that of the server, whatever the name of the host is.
                let other = OriginServer(isSecure: true, host: "ip6-localhost", port: origin.port)
                await #expect(throws: TransportError.self) {
                    try await transport.send(request, body: .empty, to: other, onNewConnection: false, onInterimResponse: nil)
                }
            }
        }
    }
}
