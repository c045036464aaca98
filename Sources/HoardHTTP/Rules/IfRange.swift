// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The condition under which a client wants a part, and otherwise the whole.
///
/// It is judged after all other conditions, and has no meaning in a request without `Range`:
/// [RFC 9110 §13.1.5](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.5), [§13.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-13.2.2)
package struct IfRange: Hashable, Sendable {
    /// The bytes of the field; `nil` if several lines contradict each other.
    private let value: [UInt8]?

    /// - Returns: `nil` if the field is absent.
    package init?(_ requestFields: HTTPFields) {
        guard requestFields.contains(.ifRange) else { return nil }
        value = requestFields.singleLine(of: .ifRange)
    }

    /// Whether the part may be sent; if not, the answer is the whole, as if there were no `Range`.
    ///
    /// An entity tag must match strongly. A date must be that of `Last-Modified`, neither earlier nor later, and that must be a strong validator
    /// ([RFC 9110 §8.8.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-8.8.2.2)). A value that is neither is never
    /// met.
    package func isMet(by responseFields: HTTPFields) -> Bool {
        guard let value else { return false }
        let bytes = value.trimmed
        if bytes.contains(.doubleQuote) {
            guard let tag = Validators(of: responseFields).entityTag else { return false }
            return tag.matchesStrongly(EntityTag(bytes))
        }
        guard let modified = responseFields.strongLastModified else { return false }
        return HTTPDate(bytes: value, now: modified.date) == modified
    }
}
