// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard

extension HTTPCache {
    /// What a lookup found.
    struct Found {
        var response: StoredResponse?
        /// Where it was found.
        var key: HTTPCacheKey?
        /// There are responses for the URI, but none that the request selects.
        var isVaryMiss = false
    }

    /// Finds the stored response that a request selects: of several, the most recent one (RFC 9111 §4.1).
    func lookUp(_ key: HTTPCacheKey, _ selectingFields: HTTPFields) async -> Found {
        switch await entries.lookup(forKey: key)?.value {
        case nil:
            return Found()
        case .response(let response):
            return Found(response: response, key: key)
        case .variants(let index):
            var found = Found(isVaryMiss: true)
            for fieldNames in index.fieldNameSets {
                guard let variantKey = variantKey(of: key, fieldNames, selectingFields, in: index),
                    case .response(let response)? = await entries.lookup(forKey: variantKey)?.value
                else { continue }
                if let other = found.response, other.responseTime >= response.responseTime { continue }
                found = Found(response: response, key: variantKey)
            }
            return found
        }
    }
}
