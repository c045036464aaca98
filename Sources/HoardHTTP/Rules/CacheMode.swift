// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The kind of a cache, by the users whose requests it answers.
///
/// [RFC 9111 §1](https://www.rfc-editor.org/rfc/rfc9111#section-1)
public enum CacheMode: Hashable, Sendable {
    /// One user's cache, such as the one in a client.
    case `private`
    /// A cache that gives one user's response to another, such as a proxy.
    case shared
}
