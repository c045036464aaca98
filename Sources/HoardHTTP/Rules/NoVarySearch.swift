// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import RawStructuredFieldValues

/// The differences between the queries of two URIs that do not matter to the resource, as its response says.
///
/// A malformed field has no effect, and a field without effect is not represented: then only equal queries select one response.
///
/// [The No-Vary-Search HTTP Caching Extension](https://datatracker.ietf.org/doc/draft-ietf-httpbis-no-vary-search/), sections 4 to 6
package struct NoVarySearch: Hashable, Sendable {
    private enum Parameters: Hashable, Sendable {
        /// All parameters matter but these.
        case allBut(Set<[UInt8]>)
        /// No parameters matter but these.
        case only(Set<[UInt8]>)

        func matters(_ name: [UInt8]) -> Bool {
            switch self {
            case .allBut(let names): !names.contains(name)
            case .only(let names): names.contains(name)
            }
        }
    }

    private let parameters: Parameters
    private let ignoresOrder: Bool

    /// Reads the field of a response.
    ///
    /// - Returns: `nil` if it is absent, malformed, or says only the default.
    package init?(_ responseFields: HTTPFields) {
        guard let members = responseFields.structuredDictionary(of: .noVarySearch) else { return nil }
        self.init(members)
    }

    /// Reads the result of ``text``, or any other value that the field may have.
    package init?(text: String) {
        guard let members = StructuredDictionary(fieldValue: Array(text.utf8)) else { return nil }
        self.init(members)
    }

    private init?(_ members: StructuredDictionary) {
        if let order = members["key-order"] {
            guard case .bool(let isIgnored) = order.bareItem else { return nil }
            ignoresOrder = isIgnored
        } else {
            ignoresOrder = false
        }
        switch (members["params"], members["except"]) {
        case (nil, nil): parameters = .allBut([])
        case (let params?, nil):
            if let names = params.strings {
                parameters = .allBut(Self.names(names))
            } else if case .bool(let areIgnored) = params.bareItem {
                parameters = areIgnored ? .only([]) : .allBut([])
            } else {
                return nil
            }
        case (let params, let except?):
            guard case .bool(true) = params?.bareItem, let names = except.strings else { return nil }
            parameters = .only(Self.names(names))
        }
        if !ignoresOrder, parameters == .allBut([]) { return nil }
    }

    /// Names are written as they would be in a query, so that any text can be named in ASCII.
    private static func names(_ encoded: [String]) -> Set<[UInt8]> {
        Set(encoded.map { FormURLEncoded.decoded(Array($0.utf8)) })
    }

    /// The one query that stands for all queries that differ only in parts that do not matter; `nil` if nothing is left
    /// of it.
    ///
    /// Parameters that do not matter are left out. Where the order does not matter, the parameters are sorted by name; those of one name keep their
    /// order. Different ways to encode a name or a value become one. Bytes that are no UTF-8 are kept apart, although the extension would have all of
    /// them alike: two URIs too many are safer than one too few. Complexity: O(*n* log *n*).
    package func canonicalQuery(_ query: String?) -> String? {
        guard let query else { return nil }
        var form = FormURLEncoded(query)
        form.pairs.removeAll { !parameters.matters($0.name) }
        if ignoresOrder {
            // The sort of the standard library keeps the order of equal elements, but does not promise it.
            form.pairs = form.pairs.enumerated().sorted { first, second in
                if first.element.name == second.element.name { return first.offset < second.offset }
                return first.element.name.lexicographicallyPrecedes(second.element.name)
            }.map(\.element)
        }
        return form.pairs.isEmpty ? nil : form.text
    }

    /// The value of a field that says the same; the same text for all that say the same. In ASCII, and no line feed is in it.
    package var text: String {
        var members: [String] = []
        if ignoresOrder { members.append("key-order") }
        switch parameters {
        case .allBut(let names) where names.isEmpty: break
        case .allBut(let names): members.append("params=\(Self.list(names))")
        case .only(let names) where names.isEmpty: members.append("params")
        case .only(let names): members.append("params, except=\(Self.list(names))")
        }
        return members.joined(separator: ", ")
    }

    private static func list(_ names: Set<[UInt8]>) -> String {
        "(" + names.map { "\"\(FormURLEncoded.encoded($0))\"" }.sorted().joined(separator: " ") + ")"
    }
}
