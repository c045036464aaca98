// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A cache that an app fills and asks by itself, keyed by whole requests.
public protocol ResponseCaching: Sendable {
    /// Returns the response that may answer the request now; `nil` if there is none. Never asks the network.
    func fetch(_ request: NetworkRequest) async -> NetworkResponse?

    /// Stores a response for requests like this one, if it may be stored.
    func store(_ response: NetworkResponse, for request: NetworkRequest) async

    /// Removes the responses for the request's URL.
    func remove(_ request: NetworkRequest) async

    /// Removes all responses, for example when a user logs out.
    func removeAll() async
}

extension ResponseCaching {
    /// The response that may answer the request now, as ``fetch(_:)`` returns it.
    public subscript(request: NetworkRequest) -> NetworkResponse? {
        get async { await fetch(request) }
    }
}
