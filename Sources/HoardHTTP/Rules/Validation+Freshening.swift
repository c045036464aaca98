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
    ///   - response: The answer of the origin to a request with ``Validators/conditionalFields(from:)``.
    /// - Returns: `nil` if the status is not 304.
    package init?(_ response: HTTPResponse) {
        guard response.status.code == 304 else { return nil }
        self.fields = response.headerFields
    }

    /// Whether the stored response is the one that the 304 confirms.
    ///
    /// A strong tag in the 304 must match strongly, a weak one weakly. Without a tag, `Last-Modified` must not differ. With no validator at all the
    /// 304 refers to the response in question, which is the stored one. A stored response without a validator was not
    /// asked about.
    ///
    /// If the answer is no, the 304 changes nothing that is stored, and the request has to be sent again without the stored validators.
    package func confirms(_ stored: HTTPResponse) -> Bool {
        let mine = Validators(of: fields)
        let other = Validators(of: stored.headerFields)
        guard !other.isEmpty, stored.mayBeUpdated(with: fields) else { return false }
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

    /// The stored response with the fields of the 304 in place of its own: see ``HTTPTypes/HTTPResponse/updated(with:rules:)``.
    ///
    /// A 304 without `Date` counts as generated when it arrived: [RFC 9110 §6.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-6.6.1).
    package func freshening(_ stored: HTTPResponse, responseTime: Date, rules: HTTPCacheRules) -> HTTPResponse {
        stored.updated(with: fields.dated(responseTime), rules: rules)
    }
}

extension HTTPFields {
    /// The fields with a `Date`, which is `now` if there was none.
    package func dated(_ now: Date) -> HTTPFields {
        guard !contains(.date) else { return self }
        var fields = self
        fields.append(HTTPField(name: .date, value: HTTPDate(now).description))
        return fields
    }
}
