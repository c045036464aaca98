// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// An origin's 304 to a request whose conditions were those of one stored response.
///
/// [RFC 9111 §4.3.4](https://www.rfc-editor.org/rfc/rfc9111#section-4.3.4)
package struct NotModifiedResponse: Hashable, Sendable {
    package let fields: HTTPFields

    /// - Parameters:
    ///   - response: What the origin sent to ``Validators/conditionalFields(from:)``.
    /// - Returns: `nil` if the status is not 304.
    package init?(_ response: HTTPResponse) {
        guard response.status.code == 304 else { return nil }
        self.fields = response.headerFields
    }

    /// Whether the stored response is the one that the 304 confirms.
    ///
    /// A strong tag in the 304 must match strongly, a weak one weakly. Without a tag, `Last-Modified` must not differ. With no validator at all the
    /// 304 refers to what it was asked about, which is the stored response. A stored response without a validator was not asked about.
    ///
    /// If the answer is no, the 304 changes nothing that is stored, and the request has to be sent again without the stored validators.
    package func confirms(_ stored: HTTPResponse) -> Bool {
        let mine = Validators(of: fields)
        let other = Validators(of: stored.headerFields)
        // HTTPFields holds fewer than 65,535 fields; a sum beyond that is nobody's honest response.
        guard !other.isEmpty, fields.count + stored.headerFields.count < Int(UInt16.max) - 1 else { return false }
        if let tag = mine.entityTag {
            guard let otherTag = other.entityTag else { return false }
            return tag.isWeak ? tag.matchesWeakly(otherTag) : tag.matchesStrongly(otherTag)
        }
        guard let lastModified = mine.lastModified, let otherLastModified = other.lastModified, lastModified != otherLastModified else {
            return true
        }
        // Two forms of one date are equal; which now is meant does not matter as long as it is the same for both.
        let now = Date(timeIntervalSince1970: 0)
        guard let date = HTTPDate(bytes: lastModified, now: now) else { return false }
        return date == HTTPDate(bytes: otherLastModified, now: now)
    }

    /// The stored response with the fields of the 304 in place of its own.
    ///
    /// Every field of the 304 replaces all lines of that name, with the exceptions of
    /// [RFC 9111 §3.2](https://www.rfc-editor.org/rfc/rfc9111#section-3.2): fields that are not stored (see
    /// ``HTTPTypes/HTTPFields/removingFieldsNotStored(cacheControl:mode:)``), `Content-Length`, and those that say how the stored bytes are to be read,
    /// `Content-Encoding` and, of a partial response, `Content-Range`. A stored `Age` goes, and a 304 without `Date` counts as generated when it arrived
    /// ([RFC 9110 §6.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-6.6.1)); otherwise a confirmed response would be as old as before.
    ///
    /// The directives may have changed: ask ``Storability`` again before keeping the result.
    package func freshening(_ stored: HTTPResponse, responseTime: Date, mode: CacheMode) -> HTTPResponse {
        let update = fields.removingFieldsNotStored(cacheControl: CacheControl(response: fields), mode: mode)
            .filter { $0.name.isUpdated(in: stored.status) }
        let replaced = Set(update.lazy.map(\.name)).union([.age, .date])
        var result = HTTPFields()
        result.reserveCapacity(stored.headerFields.count + update.count + 1)
        for field in stored.headerFields where !replaced.contains(field.name) {
            result.append(field)
        }
        for field in update {
            result.append(field)
        }
        if !result.contains(.date) {
            result.append(HTTPField(name: .date, value: HTTPDate(responseTime).description))
        }
        var freshened = stored
        freshened.headerFields = result.removingFieldsNotStored(cacheControl: CacheControl(response: result), mode: mode)
        return freshened
    }
}

extension HTTPField.Name {
    fileprivate func isUpdated(in storedStatus: HTTPResponse.Status) -> Bool {
        switch canonicalName {
        case "content-length", "content-encoding": false
        case "content-range": storedStatus.code != 206
        default: true
        }
    }
}
