// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPFields {
    /// The fields of a response whose content has been decoded. Fields about the coded bytes are left out, and a strong entity tag becomes a weak
    /// one, as it belongs to the coded bytes ([RFC 9110 §8.8.1](https://www.rfc-editor.org/rfc/rfc9110#section-8.8.1)).
    ///
    /// [RFC 9110 §8](https://www.rfc-editor.org/rfc/rfc9110#section-8), [RFC 9530 §2](https://www.rfc-editor.org/rfc/rfc9530#section-2)
    package func removingFieldsOfCodedContent() -> HTTPFields {
        var fields = HTTPFields(
            filter { field in
                switch field.name.canonicalName {
                case "content-encoding", "content-length", "content-digest", "content-md5", "digest", "repr-digest", "accept-ranges": false
                default: true
                }
            }
        )
        if let tag = fields[.eTag], tag.hasPrefix("\"") { fields[.eTag] = "W/" + tag }
        return fields
    }
}
