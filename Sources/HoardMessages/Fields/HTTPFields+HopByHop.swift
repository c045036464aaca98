// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPFields {
    /// The fields that go beyond this connection, which a proxy passes on.
    ///
    /// Left out are `Connection`, every field it names, and those that concern only the connection or the next proxy:
    /// [RFC 9110 §7.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1), [§11.7](https://www.rfc-editor.org/rfc/rfc9110#section-11.7). `Trailer` goes
    /// too, although it is not among them ([§6.6.2](https://www.rfc-editor.org/rfc/rfc9110#section-6.6.2)): a proxy
    /// that passes trailer fields on announces them itself, and a promise not kept is worse than none.
    ///
    /// `Connection` is obeyed whatever it names, even `Cache-Control`. So decisions about storing must be made on the fields as they were received,
    /// while the variant must be selected by the request as it is passed on, because the origin answers that one.
    package func removingHopByHopFields() -> HTTPFields {
        removing(namedByConnection: { _ in true }, also: { _ in false })
    }

    /// The fields without those of the connection and those that `isExcluded` names.
    ///
    /// - Parameter obeysConnection: Whether `Connection` may name a field.
    package func removing(
        namedByConnection obeysConnection: (HTTPField.Name) -> Bool,
        also isExcluded: (HTTPField.Name) -> Bool
    ) -> HTTPFields {
        let options = connectionOptions
        func isRemoved(_ field: HTTPField) -> Bool {
            let name = field.name
            return name.isHopByHop || isExcluded(name) || (!options.isEmpty && options.contains(name.canonicalName) && obeysConnection(name))
        }
        // Most messages keep all of their fields.
        guard contains(where: isRemoved) else { return self }
        var kept = HTTPFields()
        kept.reserveCapacity(count)
        for field in self where !isRemoved(field) { kept.append(field) }
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

extension HTTPField.Name {
    /// Whether the field concerns only the connection or the next proxy.
    package var isHopByHop: Bool {
        let name = canonicalName
        // Comparing lengths first: this is asked of every field of every message, and of few is it true.
        return switch name.utf8.count {
        case 2: name == "te"
        case 7: name == "trailer" || name == "upgrade"
        case 10: name == "connection" || name == "keep-alive"
        case 16: name == "proxy-connection"
        case 17: name == "transfer-encoding"
        case 18: name == "proxy-authenticate"
        case 19: name == "proxy-authorization"
        case 25: name == "proxy-authentication-info"
        default: false
        }
    }
}
