// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The parts of a request for a screen beside its path.
public struct HTTPAdditionalData: Hashable, Sendable {
    /// Default: GET. Only the answers to GET are kept, joined and prefetched; every other request is sent, each time.
    public var method: HTTPRequest.Method
    /// Request fields. All of them can change the answer, so requests with other fields are other requests.
    public var headers: HTTPFields
    /// The content; `nil` for none. A request with content is sent each time.
    public var body: Data?

    /// Creates the additional data of a request.
    public init(method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: Data? = nil) {
        self.method = method
        self.headers = headers
        self.body = body
    }
}

/// A request for a screen.
///
/// ```swift
/// let home = try await client.fetch("/home")
/// let account = try await client.fetch(ViewRequest("/account", partition: user.id, isSensitive: true))
/// ```
public struct ViewRequest: Hashable, Sendable {
    /// Where the screen is, for the client's ``URLBuilding``: relative or absolute.
    public var path: String
    /// Method, fields and content. `nil`: a GET without any.
    public var additionalData: HTTPAdditionalData?
    /// The group that the screen belongs to, such as a user: ``ViewClient/removePartition(_:)`` removes all of it. Requests of different
    /// partitions never share an answer. `nil`: that of ``ViewClient/Configuration/partition``.
    public var partition: String?
    /// Whether the screen is kept in memory only and never written to a disk. Default: `false`.
    public var isSensitive: Bool
    /// Whether the server is asked even if a valid screen is kept, which stands in if the server is away. Default: `false`.
    public var revalidates: Bool

    /// Creates a request for a path or a URL.
    public init(
        _ path: String,
        additionalData: HTTPAdditionalData? = nil,
        partition: String? = nil,
        isSensitive: Bool = false,
        revalidates: Bool = false
    ) {
        self.path = path
        self.additionalData = additionalData
        self.partition = partition
        self.isSensitive = isSensitive
        self.revalidates = revalidates
    }
}

extension ViewRequest: ExpressibleByStringLiteral {
    /// A GET for a path.
    public init(stringLiteral path: String) {
        self.init(path)
    }
}
