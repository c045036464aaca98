// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardTesting

/// The network of “Cache URLResponses in Swift”: requests with completion handlers, answered
/// from a cache or by the network.
protocol Network: Sendable {
    /// - Returns: A function that cancels the request.
    @discardableResult
    func send(_ request: NetworkRequest, completion: @escaping @Sendable (Result<Data, any Error>) -> Void) -> @Sendable () -> Void

    /// Sends a number as JSON. JSON does not have every number.
    func post(_ number: Double, to url: String, completion: @escaping @Sendable (Result<Data, any Error>) -> Void)
}

extension Network {
    /// The text of the response. If there is none, the error, in brackets.
    func text(_ request: NetworkRequest) async -> String {
        switch await calls({ send(request, completion: $0) }).first {
        case .success(let data): String(decoding: data, as: UTF8.self)
        case .failure(let error): "[\(error)]"
        case nil: "[no completion]"
        }
    }
}

/// Makes a network over a transport, with an empty cache.
typealias MakeNetwork = (_ transport: FakeTransport, _ time: ManualTicker) -> any Network

extension NetworkRequest {
    static func get(_ path: String, _ headers: HTTPFields = [:], token: String? = nil) -> NetworkRequest {
        NetworkRequest(.get, "http://example.com" + path, headers: headers, token: token)
    }
}
