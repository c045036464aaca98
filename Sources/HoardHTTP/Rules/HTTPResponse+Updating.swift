// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPResponse {
    /// Whether there is room for the fields of both messages in one, and for those that an answer has beyond them. No honest response has more.
    package func mayBeUpdated(with newFields: HTTPFields) -> Bool {
        headerFields.count + newFields.count <= StoredResponse.maximumFieldCount
    }

    /// This stored response with the fields of a newer message about it in place of its own.
    ///
    /// Every field of the message replaces all lines of that name, with the exceptions of [RFC 9111
    /// §3.2](https://www.rfc-editor.org/rfc/rfc9111#section-3.2). They are fields that are not stored (see
    /// ``HTTPTypes/HTTPFields/removingFieldsNotStored(cacheControl:rules:)``), `Content-Length`, and `Content-Encoding`, which says how to read the
    /// stored bytes. The additions of the owner's policy go too (see ``PolicyField``), as the newer message has its
    /// present additions. A stored `Age` goes, and so does a stored `Date`: otherwise a confirmed response would be as
    /// old as before. A message without `Date` has to be dated by its recipient first
    /// ([RFC 9110 §6.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-6.6.1)).
    ///
    /// The directives may have changed: ask ``Storability`` again before keeping the result.
    package func updated(with newFields: HTTPFields, rules: HTTPCacheRules) -> HTTPResponse {
        let directives = CacheControl(inForceFor: newFields, rules: rules)
        let update = newFields.removingFieldsNotStored(cacheControl: directives, rules: rules).filter { $0.name.isUpdated }
        let replaced = Set(update.lazy.map(\.name)).union([.age, .date, .hoardPolicy])
        var result = HTTPFields()
        result.reserveCapacity(headerFields.count + update.count)
        for field in headerFields where !replaced.contains(field.name) {
            result.append(field)
        }
        for field in update {
            result.append(field)
        }
        var updated = self
        let inForce = CacheControl(inForceFor: result, rules: rules)
        updated.headerFields = result.removingFieldsNotStored(cacheControl: inForce, rules: rules)
        return updated
    }
}

extension HTTPField.Name {
    fileprivate var isUpdated: Bool {
        switch canonicalName {
        // A digest of content is of that which came with the message (RFC 9530 §2).
        case "content-length", "content-encoding", "content-digest": false
        default: true
        }
    }
}
