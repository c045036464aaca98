// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardTesting
import NIOCore
import Synchronization

/// An imitation of the tutorial's manager: it asks its cache for every request, keeps every response for ever, and goes on after it has completed.
final class SeedNetwork: Network {
    /// The parts of a request that its key holds.
    enum KeyForm {
        /// As `URLRequest.description`: the URL.
        case description
        /// As the equality of `URLRequest` on Linux: the URL and the method, without fields and content.
        case equality
    }

    private let transport: FakeTransport
    private let form: KeyForm
    private let cache = Mutex<[String: Data]>([:])

    init(_ transport: FakeTransport, form: KeyForm) {
        self.transport = transport
        self.form = form
    }

    static func keyedByDescription(_ transport: FakeTransport, _: ManualTicker) -> any Network { SeedNetwork(transport, form: .description) }
    static func keyedByEquality(_ transport: FakeTransport, _: ManualTicker) -> any Network { SeedNetwork(transport, form: .equality) }

    private func key(_ request: NetworkRequest) -> String {
        switch form {
        case .description: request.url
        case .equality: "\(request.method) \(request.url)"
        }
    }

    @discardableResult
    func send(_ request: NetworkRequest, completion: @escaping @Sendable (Result<Data, any Error>) -> Void) -> @Sendable () -> Void {
        let key = key(request)
        if let data = cache.withLock({ $0[key] }) {
            completion(.success(data))
            return {}
        }
        var head = HTTPRequest(method: request.method, url: request.url, headerFields: request.headers)
        if let token = request.token { head.headerFields[.authorization] = "Bearer \(token)" }
        let work = Task { [head] in
            do {
                let response = try await transport.send(head, body: HTTPBody(ByteBuffer(bytes: request.body ?? Data())))
                let data = Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
                completion(.success(data))
                if response.head.status.kind == .successful { cache.withLock { $0[key] = data } }
            } catch {
                completion(.failure(error))
            }
        }
        return {
            completion(.failure(CancellationError()))
            work.cancel()
        }
    }

    func post(_ number: Double, to url: String, completion: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        var request = NetworkRequest(.post, url)
        do {
            request.body = try JSONEncoder().encode(number)
        } catch {
            completion(.failure(error))
        }
        send(request, completion: completion)
    }
}

extension HTTPRequest {
    fileprivate init(method: Method, url: String, headerFields: HTTPFields) {
        let components = URLComponents(string: url)
        self.init(method: method, scheme: components?.scheme, authority: components?.host, path: components?.path, headerFields: headerFields)
    }
}
