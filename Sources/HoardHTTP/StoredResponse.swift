// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import NIOCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A complete response as the cache keeps it: what the origin sent, and when it was asked and answered.
package struct StoredResponse: Sendable, Hashable {
    /// The status and the fields to be stored, in the origin's order.
    package var head: HTTPResponse

    /// The whole content.
    package var body: ByteBuffer

    /// When the request that led to this response was sent (RFC 9111 §4.2.3).
    package var requestTime: Date

    /// When this response, or the 304 that last updated it, was received.
    package var responseTime: Date

    package init(head: HTTPResponse, body: ByteBuffer, requestTime: Date, responseTime: Date) {
        self.head = head
        self.body = body
        self.requestTime = requestTime
        self.responseTime = responseTime
    }

    /// What the response weighs in the memory tier: its bytes, and the space that its fields take.
    package var weight: Int {
        head.headerFields.reduce(body.readableBytes + 256) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 }
    }
}

/// What a cache key leads to.
package enum HTTPCacheEntry: Sendable, Hashable {
    /// The response to every request for the key.
    case response(StoredResponse)
    /// The responses differ by request fields and are found under keys of their own.
    case variants(VariantIndex)

    package var weight: Int {
        switch self {
        case .response(let response): response.weight
        case .variants(let index): index.fieldNameSets.reduce(128) { $0 + $1.reduce(64) { $0 + $1.utf8.count + 32 } }
        }
    }
}

/// Says by which request fields the responses to a key are selected (RFC 9111 §4.1).
package struct VariantIndex: Sendable, Hashable {
    /// The most sets of fields that are remembered for one key; the oldest one goes first.
    package static let maximumFieldNameSets = 8

    /// A random number, part of the key of every variant. Removing the index therefore removes all variants:
    /// a new index never leads to a variant of an old one.
    package let generation: UInt64

    /// The sets of field names that responses have named in `Vary`, most recent first. Names are in lower case and sorted.
    package private(set) var fieldNameSets: [[String]]

    package init(generation: UInt64, fieldNameSets: [[String]]) {
        self.generation = generation
        self.fieldNameSets = Array(fieldNameSets.prefix(Self.maximumFieldNameSets))
    }

    /// Adds a set of names, if it is new.
    ///
    /// - Returns: Whether the index has changed.
    package mutating func add(_ fieldNames: [String]) -> Bool {
        guard !fieldNameSets.contains(fieldNames) else { return false }
        fieldNameSets.insert(fieldNames, at: 0)
        if fieldNameSets.count > Self.maximumFieldNameSets { fieldNameSets.removeLast() }
        return true
    }
}
