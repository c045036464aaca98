// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The interface through which an app sends its requests: ``NetworkManager``, or a fake in a test.
///
/// ```swift
/// struct FakeNetwork: NetworkManaging {
///     func fetch(_ request: NetworkRequest) async throws(NetworkError) -> NetworkResponse {
///         NetworkResponse(body: Data(#"{"name": "Alan"}"#.utf8))
///     }
/// }
/// let profile = ProfileModel(network: FakeNetwork())
/// ```
public protocol NetworkManaging: Sendable {
    /// Sends a request, or answers it from the cache, and returns the response with its whole body. May suspend.
    ///
    /// - Throws: ``NetworkError``, also for a response whose status is not one of success (200 to 299).
    @discardableResult
    func fetch(_ request: NetworkRequest) async throws(NetworkError) -> NetworkResponse
}

extension NetworkManaging {
    /// Fetches a value from the JSON of a response. May suspend.
    ///
    /// - Throws: ``NetworkError``; with the code `decodingFailed` if the response has something else.
    public func fetch<Value: Decodable>(
        _ request: NetworkRequest,
        as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws(NetworkError) -> Value {
        try await fetch(request).decoded(as: type, decoder: decoder)
    }

    /// Sends a request, and calls `completion` exactly once: with the response, with an error or, as soon as the task is cancelled, with the error
    /// `cancelled`. Returns at once.
    ///
    /// - Parameter context: Where `completion` is called.
    /// - Returns: A handle that cancels the request. It need not be kept.
    @discardableResult
    public func fetch(
        _ request: NetworkRequest,
        completingOn context: CompletionContext,
        completion: @escaping @Sendable (Result<NetworkResponse, NetworkError>) -> Void
    ) -> NetworkTask {
        NetworkTask(completingOn: context, completion) { () async throws(NetworkError) in try await fetch(request) }
    }

    /// Fetches a value from the JSON of a response, and calls `completion` exactly once, like the method for responses.
    @discardableResult
    public func fetch<Value: Decodable & Sendable>(
        _ request: NetworkRequest,
        as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder(),
        completingOn context: CompletionContext,
        completion: @escaping @Sendable (Result<Value, NetworkError>) -> Void
    ) -> NetworkTask {
        NetworkTask(completingOn: context, completion) { () async throws(NetworkError) in
            try await fetch(request, as: Value.self, decoder: decoder)
        }
    }
}
