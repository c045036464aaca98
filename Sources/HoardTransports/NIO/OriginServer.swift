// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Where connections go. Requests to the same one share them.
struct OriginServer: Hashable, Sendable {
    let isSecure: Bool
    /// A name or an address, without brackets, in lower case.
    let host: String
    let port: Int
}
