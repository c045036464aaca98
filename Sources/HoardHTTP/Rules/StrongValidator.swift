// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A validator whose equality promises equal bytes, so that parts of two responses can be put together.
///
/// [RFC 9110 §8.8.1](https://www.rfc-editor.org/rfc/rfc9110#section-8.8.1)
package enum StrongValidator: Hashable, Sendable {
    case entityTag(EntityTag)
    /// A date that is so much older than the response that no second change can lie in the same second:
    /// [RFC 9110 §8.8.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-8.8.2.2).
    case lastModified(HTTPDate)

    /// For how many seconds the content must have been unchanged when the response was generated.
    package static let secondsUnchanged: Int64 = 60

    /// The strong validator of a response, if it has one.
    ///
    /// A weak entity tag, or several that contradict each other, say that the origin does not vouch for the bytes; then the date does not either.
    package init?(of responseFields: HTTPFields) {
        if responseFields.contains(.eTag) {
            guard let tag = Validators(of: responseFields).entityTag, !tag.isWeak else { return nil }
            self = .entityTag(tag)
        } else {
            guard let date = responseFields.strongLastModified else { return nil }
            self = .lastModified(date)
        }
    }
}

extension HTTPFields {
    /// The date of the last modification, if it is a strong validator.
    var strongLastModified: HTTPDate? {
        // The century of a two-digit year must not depend on when this is asked.
        guard let generated = date(of: .date, now: .distantPast), let modified = date(of: .lastModified, now: generated.date),
            generated.secondsSince1970 - modified.secondsSince1970 >= StrongValidator.secondsUnchanged
        else { return nil }
        return modified
    }
}
