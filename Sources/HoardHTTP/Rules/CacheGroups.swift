// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// Groups of the responses of an origin, which go together: HTTP Cache Groups, [RFC 9875](https://www.rfc-editor.org/rfc/rfc9875).
///
/// A response names those that it is in (`Cache-Groups`). A response to an unsafe request names those whose responses are obsolete
/// (`Cache-Group-Invalidation`). Both are lists of strings, whose letters count as they are. A group is one of its origin alone.
package enum CacheGroups {
    /// The most groups of one field that count, the first ones: [RFC 9875 §2](https://www.rfc-editor.org/rfc/rfc9875#section-2) asks for 32 at least.
    static let maximumCount = 64

    /// The groups that a response belongs to; none if the field is malformed or beyond ``StructuredFieldLimits``.
    package static func names(in responseFields: HTTPFields) -> [String] { names(in: responseFields, of: .cacheGroups) }

    private static func names(in fields: HTTPFields, of name: HTTPField.Name) -> [String] {
        Array((fields.structuredStrings(of: name) ?? []).prefix(maximumCount))
    }

    /// The groups that a response makes obsolete: none if the request was safe ([RFC 9875 §3](https://www.rfc-editor.org/rfc/rfc9875#section-3)).
    package static func invalidated(by response: HTTPResponse, to request: HTTPRequest) -> [String] {
        request.method.isSafe ? [] : names(in: response.headerFields, of: .cacheGroupInvalidation)
    }

    // MARK: Tags

    /// The beginning of the tags that stand for groups. No response can have it in a tag of its own: one in `Cache-Tag` has no comma, and one in
    /// `Surrogate-Key` no space.
    private static let mark = "group, "

    /// The tags of a stored response that name its groups, before it is known which origin they are of.
    static func marks(in responseFields: HTTPFields) -> [String] { names(in: responseFields).map { mark + $0 } }

    /// The name of the group that a tag stands for; `nil` if it is another tag.
    static func name(ofMark tag: String) -> String? { tag.hasPrefix(mark) ? String(tag.dropFirst(mark.count)) : nil }

    /// The tag of a group of an origin.
    ///
    /// - Parameters:
    ///   - scope: That of the keys without credentials, in stores: a partition has groups of its own.
    ///   - uri: A URI of the origin, in normal form.
    static func tag(_ name: String, of uri: String, baseScope scope: String) -> String {
        mark + HTTPCache.digest("\(scope)\n\(origin(of: uri))\n\(name)".utf8)
    }

    /// The scheme, host and port of a URI in normal form ([RFC 9110 §4.3.1](https://www.rfc-editor.org/rfc/rfc9110#section-4.3.1)).
    static func origin(of uri: String) -> Substring {
        var slashes = 0
        return uri.prefix { character in
            if character == "/" { slashes += 1 }
            return slashes < 3
        }
    }
}
