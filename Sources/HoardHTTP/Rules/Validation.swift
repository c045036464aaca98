// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The validators with which a cache asks the origin whether a stored response is still current.
///
/// [RFC 9111 §4.3.1](https://www.rfc-editor.org/rfc/rfc9111#section-4.3.1), [RFC 9110 §8.8](https://www.rfc-editor.org/rfc/rfc9110#section-8.8)
package struct Validators: Hashable, Sendable {
    /// The bytes of `ETag`. `nil` if there is none, or if several contradict each other.
    package let eTag: [UInt8]?
    /// The bytes of `Last-Modified`. `nil` if there is none, or if several contradict each other.
    package let lastModified: [UInt8]?

    /// - Parameters: Neither of them empty.
    init(eTag: [UInt8]?, lastModified: [UInt8]?) {
        self.eTag = eTag
        self.lastModified = lastModified
    }

    package init(of responseFields: HTTPFields) {
        self.eTag = responseFields.singleLine(of: .eTag).flatMap { $0.isEmpty ? nil : $0 }
        self.lastModified = responseFields.singleLine(of: .lastModified).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether the response cannot be validated.
    package var isEmpty: Bool { eTag == nil && lastModified == nil }

    package var entityTag: EntityTag? { eTag.map { EntityTag($0) } }

    /// The fields of `request`, changed so that the origin is asked about the stored response.
    ///
    /// The client's own `If-None-Match` and `If-Modified-Since` are replaced, since a 304 could otherwise refer to a response that only the client
    /// has; the cache answers them itself from the origin's response (see ``ConditionalRequest``). `If-Match`,
    /// `If-Unmodified-Since` and `If-Range` are the origin's business and stay
    /// ([RFC 9111 §4.3.2](https://www.rfc-editor.org/rfc/rfc9111#section-4.3.2)), and so do the fields named by `Vary`. Without a
    /// validator nothing is replaced: the client's conditions go to the origin, and a 304 goes to the client.
    package func conditionalFields(from requestFields: HTTPFields) -> HTTPFields {
        guard !isEmpty else { return requestFields }
        var fields = requestFields
        fields[fields: .ifNoneMatch] = eTag.map { [HTTPField(name: .ifNoneMatch, value: $0)] } ?? []
        fields[fields: .ifModifiedSince] = lastModified.map { [HTTPField(name: .ifModifiedSince, value: $0)] } ?? []
        return fields
    }
}

/// The condition of a client's request that a cache answers from a stored response.
///
/// `If-None-Match` hides `If-Modified-Since`: [RFC 9110 §13.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-13.2.2). An `If-Modified-Since` that
/// is no date is ignored: [§13.1.3](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.3).
package struct ConditionalRequest: Hashable, Sendable {
    private enum Condition: Hashable, Sendable {
        case exists
        case noneMatch([EntityTag])
        case modifiedSince(HTTPDate)
    }

    private let condition: Condition

    /// - Returns: `nil` if the request is neither GET, HEAD nor QUERY, or has no condition that a cache answers.
    package init?(_ request: HTTPRequest, now: Date) {
        guard [.get, .head, .query].contains(request.method) else { return nil }
        let fields = request.headerFields
        if fields.contains(.ifNoneMatch) {
            let members = fields.lines(of: .ifNoneMatch).flatMap { ListMembers($0, quoting: .entityTag).map(\.bytes) }
            let isStar = members.count == 1 && members[0].elementsEqual("*".utf8)
            self.condition = isStar ? .exists : .noneMatch(members.map { EntityTag($0) })
        } else if let date = fields.date(of: .ifModifiedSince, now: now) {
            self.condition = .modifiedSince(date)
        } else {
            return nil
        }
    }

    /// Whether the client already has the stored response, so that 304 is the answer.
    ///
    /// Only where the answer would be successful without the condition: [RFC 9110 §13.2.1](https://www.rfc-editor.org/rfc/rfc9110#section-13.2.1).
    /// Where `Last-Modified` is missing, `Date` and then `responseTime` stand in for it:
    /// [RFC 9111 §4.3.2](https://www.rfc-editor.org/rfc/rfc9111#section-4.3.2).
    package func isNotModified(_ stored: HTTPResponse, responseTime: Date) -> Bool {
        guard stored.status.kind == .successful else { return false }
        let fields = stored.headerFields
        switch condition {
        case .exists:
            return true
        case .noneMatch(let tags):
            guard let tag = Validators(of: fields).entityTag else { return false }
            return tags.contains { $0.matchesWeakly(tag) }
        case .modifiedSince(let date):
            let name: HTTPField.Name = fields.contains(.lastModified) ? .lastModified : .date
            guard fields.contains(name) else { return HTTPDate(responseTime) <= date }
            return fields.date(of: name, now: responseTime).map { $0 <= date } ?? false
        }
    }
}

extension HTTPResponse {
    /// The 304 that tells a client to use its own copy of this stored response.
    ///
    /// It has all fields but those that describe the content, which the client has already:
    /// [RFC 9110 §15.4.5](https://www.rfc-editor.org/rfc/rfc9110#section-15.4.5). `Last-Modified` stays, since clients without an `ETag` ask with it.
    package func notModifiedForm() -> HTTPResponse {
        var fields = HTTPFields()
        fields.reserveCapacity(headerFields.count)
        for field in headerFields where !field.name.describesContent {
            fields.append(field)
        }
        return HTTPResponse(status: .notModified, headerFields: fields)
    }
}

extension HTTPField.Name {
    fileprivate var describesContent: Bool {
        switch canonicalName {
        case "content-encoding", "content-language", "content-length", "content-range", "content-type", "transfer-encoding": true
        case "content-digest", "content-md5", "digest", "repr-digest": true
        default: false
        }
    }
}
