// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPField.Name {
    /// Obsolete, but `Pragma: no-cache` still counts in a request without `Cache-Control`: RFC 9111 §5.4.
    package static let pragma = Self.constant("Pragma")
    /// RFC 9211.
    package static let cacheStatus = Self.constant("Cache-Status")

    /// Makes a name from a literal of this file; a literal that is no field name is a mistake in this file.
    private static func constant(_ name: String) -> Self {
        guard let name = Self(name) else { preconditionFailure("\(name) is not a field name") }
        return name
    }

    /// Whether a stored response without this field would be judged wrongly.
    ///
    /// The freshness, the age, the selection and the decoding of a response depend on these fields. A field in a message may ask
    /// that others be left out (`Connection`, `no-cache="…"`, `private="…"`); a cache that left out one of these would become less safe,
    /// so such a request is not obeyed. [RFC 9110 §7.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1) forbids sending it.
    var isNeededToJudgeStoredResponse: Bool {
        switch canonicalName {
        case "age", "cache-control", "date", "etag", "expires", "last-modified", "vary": true
        case "content-encoding", "content-range", "content-type": true
        default: canonicalName.hasSuffix("-cache-control")
        }
    }
}
