// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardHTTP
import HoardTesting
import HoardViews

/// Hoard's `ViewClient`.
struct HoardScreenClient: ScreenClient {
    private let client: ViewClient

    init(_ transport: FakeTransport, _ coder: CountingCoder, _ time: ManualTicker) {
        let cache = HTTPCache(clock: time, ticker: time)
        client = ViewClient(
            dependencies: .init(
                urlBuilder: URLBuilder(baseURL: URL(string: "http://example.com")),
                client: CachingClient(transport: transport, cache: cache, ticker: time),
                coder: coder,
                cache: CacheManager(store: nil, clock: time, ticker: time)
            ),
            clock: time,
            ticker: time
        )
    }

    static func make(_ transport: FakeTransport, _ coder: CountingCoder, _ time: ManualTicker) -> any ScreenClient {
        HoardScreenClient(transport, coder, time)
    }

    func fetch(_ path: String, as user: String, completion: @escaping @Sendable (Result<any ServerDrivenComponent, any Error>) -> Void) {
        client.fetch(ViewRequest(path, partition: user), completingOn: .anywhere) { completion($0.map(\.component).mapError { $0 }) }
    }

    func prefetch(_ path: String, as user: String, completion: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
        let token = client.prefetch(ViewRequest(path, partition: user), completingOn: .anywhere) { _ in completion() }
        return { token.cancel() }
    }

    func logOut(_ user: String) async { await client.removePartition(user) }
}
