// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardTesting
import HoardViews
import NIOCore
import Synchronization

/// An imitation of the tutorial's client: it keeps components by path for ever and for all users, decodes each
/// response twice, and its prefetch is a request without a handler.
final class SeedViewClient: ScreenClient {
    private let transport: FakeTransport
    private let coder: CountingCoder
    private let components = Mutex<[String: any ServerDrivenComponent]>([:])

    init(_ transport: FakeTransport, _ coder: CountingCoder) {
        self.transport = transport
        self.coder = coder
    }

    static func make(_ transport: FakeTransport, _ coder: CountingCoder, _: ManualTicker) -> any ScreenClient { SeedViewClient(transport, coder) }

    func fetch(_ path: String, as _: String, completion: @escaping @Sendable (Result<any ServerDrivenComponent, any Error>) -> Void) {
        if let component = components.withLock({ $0[path] }) { return completion(.success(component)) }
        fetchComponent(path, completion: completion)
    }

    func prefetch(_ path: String, as _: String, completion: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
        fetchComponent(path) { _ in completion() }
        return nil
    }

    func logOut(_: String) async {}

    private func fetchComponent(_ path: String, completion: @escaping @Sendable (Result<any ServerDrivenComponent, any Error>) -> Void) {
        Task {
            do {
                let request = HTTPRequest(method: .get, scheme: "http", authority: "example.com", path: path)
                let data = Data(try await transport.send(request).body.collect(upTo: 1 << 20).readableBytesView)
                if let component = try? coder.decode(data) { components.withLock { $0[path] = component } }
                completion(.success(try coder.decode(data)))
            } catch {
                completion(.failure(error))
            }
        }
    }
}
