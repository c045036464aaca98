// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPFields {
    /// The fields that go beyond this connection: what a proxy passes on.
    ///
    /// Left out are `Connection`, every field it names, and those that concern only the connection or the next proxy:
    /// [RFC 9110 §7.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1), [§11.7](https://www.rfc-editor.org/rfc/rfc9110#section-11.7). `Trailer` goes
    /// too, although it is not among them ([§6.6.2](https://www.rfc-editor.org/rfc/rfc9110#section-6.6.2)): who passes trailer fields on announces
    /// them itself, and a promise not kept is worse than none.
    ///
    /// `Connection` is obeyed whatever it names, even `Cache-Control`. So decisions about storing must be made on the fields as they were received,
    /// while the variant must be selected (see ``Vary``) by the request as it is passed on, because the origin answers that one.
    package func removingHopByHopFields() -> HTTPFields {
        removing(namedByConnection: { _ in true }, also: { _ in false })
    }

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

    private func removing(
        namedByConnection obeysConnection: (HTTPField.Name) -> Bool,
        also isExcluded: (HTTPField.Name) -> Bool
    ) -> HTTPFields {
        let options = connectionOptions
        var kept = HTTPFields()
        kept.reserveCapacity(count)
        for field in self {
            let name = field.name
            if name.isHopByHop || isExcluded(name) { continue }
            if options.contains(name.canonicalName), obeysConnection(name) { continue }
            kept.append(field)
        }
        return kept
    }

    /// The members of `Connection`, in small letters.
    private var connectionOptions: Set<String> {
        var options: Set<String> = []
        for line in lines(of: .connection) {
            for member in ListMembers(line) {
                options.insert(String(decoding: member.bytes.map(\.lowercased), as: UTF8.self))
            }
        }
        return options
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

extension HTTPField.Name {
    /// Whether the field concerns only the connection or the next proxy.
    package var isHopByHop: Bool {
        switch canonicalName {
        case "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade": true
        case "proxy-authenticate", "proxy-authentication-info", "proxy-authorization": true
        default: false
        }
    }
}
