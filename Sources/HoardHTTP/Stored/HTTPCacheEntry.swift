// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// The value under a cache key. It is one pointer, as every entry in memory has one of these.
package enum HTTPCacheEntry: Sendable, Hashable {
    /// The response to every request for the key.
    case response(StoredResponse)
    /// The responses differ by request fields and are found under keys of their own.
    indirect case variants(VariantIndex)
    /// A piece of a body that is too long for one entry.
    indirect case segment(ByteBuffer)
    /// The rules by which responses for one path say that parts of the query do not matter, the most recent first.
    case searchRules([NoVarySearch])

    /// The most rules that are remembered for one path; the oldest one goes first.
    package static let maximumSearchRules = 8

    /// The weight of the entry in memory, in bytes.
    package var weight: Int {
        switch self {
        case .response(let response): response.weight
        case .variants(let index): index.weight
        case .segment(let bytes): bytes.readableBytes + 128
        case .searchRules(let rules): rules.reduce(128) { $0 + $1.text.utf8.count + 64 }
        }
    }
}
