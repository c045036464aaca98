// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardTesting

/// Hoard's `NetworkManager`.
final class HoardNetwork: Network {
    private let manager: NetworkManager

    init(_ transport: FakeTransport, _ time: ManualTicker, mode: CacheMode = .private) {
        var configuration = HTTPCache.Configuration()
        configuration.mode = mode
        manager = NetworkManager(
            client: CachingClient(transport: transport, cache: HTTPCache(configuration: configuration, clock: time, ticker: time), ticker: time)
        )
    }

    static func `private`(_ transport: FakeTransport, _ time: ManualTicker) -> any Network { HoardNetwork(transport, time) }
    static func shared(_ transport: FakeTransport, _ time: ManualTicker) -> any Network { HoardNetwork(transport, time, mode: .shared) }

    @discardableResult
    func send(_ request: NetworkRequest, completion: @escaping @Sendable (Result<Data, any Error>) -> Void) -> @Sendable () -> Void {
        let task = manager.fetch(request, completingOn: .anywhere) { completion($0.map(\.body).mapError { $0 }) }
        return { task.cancel() }
    }

    func post(_ number: Double, to url: String, completion: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        do throws(NetworkError) {
            send(try .json(.post, url, body: number), completion: completion)
        } catch {
            completion(.failure(error))
        }
    }
}
