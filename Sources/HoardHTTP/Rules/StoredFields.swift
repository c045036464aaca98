// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPFields {
    /// The fields of a response that are kept in a cache.
    ///
    /// That is ``removingHopByHopFields()``, without the fields named by a `no-cache="…"` directive nor, in a shared cache, by `private="…"`:
    /// [RFC 9111 §3.1](https://www.rfc-editor.org/rfc/rfc9111#section-3.1). Fields by which a stored response is judged, such as `Cache-Control`
    /// and `Vary`, stay even if `Connection` names them, so that no message can make the cache forget a restriction.
    ///
    /// - Parameter cacheControl: The directives in force for the response in this cache.
    package func removingFieldsNotStored(cacheControl: CacheControl, rules: HTTPCacheRules) -> HTTPFields {
        var excluded = Set(cacheControl.noCache?.fieldNames ?? [])
        if rules.mode == .shared { excluded.formUnion(cacheControl.privateScope?.fieldNames ?? []) }
        excluded.subtract(rules.targets)
        return removing(
            namedByConnection: { !$0.isNeededToJudgeStoredResponse && !rules.targets.contains($0) },
            also: { excluded.contains($0) }
        )
    }
}

extension CacheControl.Scope {
    fileprivate var fieldNames: [HTTPField.Name] {
        switch self {
        case .wholeResponse: []
        case .fields(let names): names
        }
    }
}
