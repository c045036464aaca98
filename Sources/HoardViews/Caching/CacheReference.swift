// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A screen as it came from the server, with the facts that are needed to judge it.
public struct CacheReference: Hashable, Sendable {
    /// Names the reference: everything that can change the answer is in it.
    public let identifier: String
    /// The bytes that the server sent.
    public let data: Data
    /// The server's name for this state of the screen. A request sends it to ask whether there is a newer one.
    public let hash: String
    /// For how many seconds the screen is valid. `nil`: for as long as the cache manager says.
    public let maxAge: Int?
    /// When the server made or last confirmed the screen.
    public let timeOfCreation: Date
    /// The group that owns it, such as a user. `nil`: none.
    public let partition: String?
    /// Whether it stays in memory and is never written to a disk.
    public let isSensitive: Bool
    /// Whether it must not be shown once it is not valid any more, not even when the network is away:
    /// [RFC 9111 §5.2.2.2](https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2.2).
    public let mustRevalidate: Bool

    /// Creates a reference.
    public init(
        identifier: String,
        data: Data,
        hash: String,
        maxAge: Int? = nil,
        timeOfCreation: Date,
        partition: String? = nil,
        isSensitive: Bool = false,
        mustRevalidate: Bool = false
    ) {
        self.identifier = identifier
        self.data = data
        self.hash = hash
        self.maxAge = maxAge
        self.timeOfCreation = timeOfCreation
        self.partition = partition
        self.isSensitive = isSensitive
        self.mustRevalidate = mustRevalidate
    }
}
