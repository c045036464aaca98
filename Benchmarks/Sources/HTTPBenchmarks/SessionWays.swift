// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation
internal import HTTPTypes
internal import HoardHTTP
internal import HoardTestingServer
internal import HoardTransports

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The cost of a request through a `URLSession` that an `HTTPCache` answers, beside a session without a cache. A server on loopback answers with 1 KiB.
enum SessionWays {
    static let ways = Ways(
        title: "request through a URLSession",
        cases: ["session without Hoard", "session, hit", "session, stored miss", "session, no-store", "session over NIOTransport, no-store"],
        divisor: 200,
        run: run
    )

    private static let length = 1_024

    @Sendable private static func run(_ name: String, requests: Int) async throws -> Double {
        let origin = try await FakeOrigin.start { request, _ in
            let isStored = request.path?.hasPrefix("/no-store") != true
            return .init(String(repeating: "a", count: length), fields: [.cacheControl: isStored ? "max-age=3600" : "no-store"])
        }
        let configuration =
            switch name {
            case "session without Hoard": URLSessionConfiguration.ephemeral
            case "session over NIOTransport, no-store": URLSessionConfiguration.hoard(client: CachingClient(transport: NIOTransport()))
            default: URLSessionConfiguration.hoard(cache: HTTPCache())
            }
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration)
        func ask(_ path: String) async throws {
            guard let url = URL(string: origin.url + path), try await session.data(from: url).0.count == length else { throw WrongAnswer(way: name) }
        }
        try await ask("/hit")
        let paths = name.hasSuffix("no-store") ? "/no-store" : "/stored"
        let start = monotonicNanoseconds()
        for number in 0..<requests { try await ask(name == "session, hit" ? "/hit" : "\(paths)/\(number)") }
        let time = Double(monotonicNanoseconds() - start)
        session.finishTasksAndInvalidate()
        await origin.stop()
        return time / Double(requests)
    }

    struct WrongAnswer: Error { let way: String }
}
