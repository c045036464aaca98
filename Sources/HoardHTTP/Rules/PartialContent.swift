// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// A 206 with one part, whose content can be kept.
///
/// [RFC 9110 §15.3.7](https://www.rfc-editor.org/rfc/rfc9110#section-15.3.7), [RFC 9111 §3.3](https://www.rfc-editor.org/rfc/rfc9111#section-3.3),
/// [§3.4](https://www.rfc-editor.org/rfc/rfc9111#section-3.4)
package struct PartialContent: Hashable, Sendable {
    /// Where the content lies in the whole. Not empty.
    package let range: Range<Int>
    /// The length of the whole, if the origin knows it.
    package let completeLength: Int?
    /// The validator that other parts must have in common with this one.
    package let validator: StrongValidator?

    /// - Parameters:
    ///   - response: The origin's answer, as it was received.
    ///   - bodyLength: The length of its content, if it is known beforehand.
    /// - Returns: `nil` if it is no 206, has several parts, does not say where its content lies, or if its length contradicts that.
    package init?(_ response: HTTPResponse, bodyLength: Int?) {
        let fields = response.headerFields
        guard response.status.code == 206, !fields.hasSeveralParts, let content = ContentRange(fields), let range = content.range,
            bodyLength ?? range.count == range.count, fields.contentLength ?? range.count == range.count
        else { return nil }
        self.range = range
        self.completeLength = content.completeLength
        self.validator = StrongValidator(of: fields)
    }

    /// The head of the whole that this response is a part of: with status 200, the length of the whole if it is known, and no place in it.
    package func wholeHead(of response: HTTPResponse) -> HTTPResponse {
        Self.wholeHead(response, completeLength: completeLength)
    }

    /// Whether this part belongs to the representation that a stored response stands for.
    ///
    /// Both must have the same strong validator: [RFC 9110 §15.3.7.3](https://www.rfc-editor.org/rfc/rfc9110#section-15.3.7.3). If both know the
    /// length of the whole, they must agree, and the part must not lie beyond the end.
    ///
    /// - Parameters:
    ///   - stored: The head of the stored response, whole or incomplete.
    ///   - new: The response that brought this part.
    ///   - storedLength: The length of the whole as the stored response has it, if it is known.
    package func mayCombine(with stored: HTTPResponse, new: HTTPResponse, completeLength storedLength: Int?) -> Bool {
        guard stored.status.code == 200, let validator, validator == StrongValidator(of: stored.headerFields),
            stored.mayBeUpdated(with: new.headerFields), Self.haveOneCoding(stored.headerFields, new.headerFields)
        else { return false }
        guard let storedLength else { return true }
        return range.upperBound <= storedLength && completeLength ?? storedLength == storedLength
    }

    /// The head of the stored response after this part has been added to it.
    ///
    /// Every field of the new response replaces the stored ones of that name, the other stored ones stay:
    /// [RFC 9111 §3.4](https://www.rfc-editor.org/rfc/rfc9111#section-3.4).
    package func combinedHead(stored: HTTPResponse, new: HTTPResponse, completeLength storedLength: Int?, rules: HTTPCacheRules) -> HTTPResponse {
        let updated = stored.updated(with: new.headerFields, rules: rules)
        return Self.wholeHead(updated, completeLength: completeLength ?? storedLength)
    }

    /// Whether a part has the coding of the stored response. Some origins have one validator for all codings of their content.
    ///
    /// A 206 to `If-Range` need not repeat the fields of the representation ([RFC 9110 §15.3.7](https://www.rfc-editor.org/rfc/rfc9110#section-15.3.7)).
    /// One that repeats neither type nor coding has those of the stored response.
    private static func haveOneCoding(_ stored: HTTPFields, _ new: HTTPFields) -> Bool {
        if stored[values: .contentEncoding] == new[values: .contentEncoding] { return true }
        return stored.contains(.contentType) && !new.contains(.contentType) && !new.contains(.contentEncoding)
    }

    private static func wholeHead(_ response: HTTPResponse, completeLength: Int?) -> HTTPResponse {
        var fields = response.headerFields
        fields[.contentRange] = nil
        fields[.contentLength] = completeLength.map(String.init)
        // They are of the part alone.
        fields[.contentDigest] = nil
        fields[.contentMD5] = nil
        return HTTPResponse(status: .ok, headerFields: fields)
    }
}

extension PartialContent {
    /// The one part that is missing of a stored response, where one request can complete it: there is exactly one gap, and the origin has to be asked
    /// for nothing that is stored.
    package static func missingPart(of body: StoredBody) -> RangeRequest.Part? {
        guard let completeLength = body.completeLength else {
            let end = body.extents.last?.range.upperBound ?? 0
            return end > 0 && body.contains(0..<end) ? .from(end, last: nil) : nil
        }
        let gaps = body.gaps(in: 0..<completeLength)
        guard gaps.count == 1, gaps[0] != 0..<completeLength else { return nil }
        return .from(gaps[0].lowerBound, last: gaps[0].upperBound - 1)
    }

    /// The fields of `request`, changed so that the origin sends the missing part, or the whole if it is another by now.
    ///
    /// The client's own conditions and its `Range` are taken out, as the cache answers them when it has the whole; see ``ConditionalRequest``.
    ///
    /// - Returns: `nil` if the stored response has no strong validator, so that a part could not be combined with it.
    package static func fieldsAsking(for part: RangeRequest.Part, of stored: HTTPResponse, from requestFields: HTTPFields) -> HTTPFields? {
        guard let validator = StrongValidator(of: stored.headerFields) else { return nil }
        var fields = requestFields
        fields[.ifNoneMatch] = nil
        fields[.ifModifiedSince] = nil
        fields[.range] = RangeRequest(part).fieldValue
        let name: HTTPField.Name =
            switch validator {
            case .entityTag: .eTag
            case .lastModified: .lastModified
            }
        fields[fields: .ifRange] = stored.headerFields[fields: name].prefix(1).map { HTTPField(name: .ifRange, value: $0.valueBytes) }
        return fields
    }
}

extension HTTPFields {
    private static let multipartType = Array("multipart/byteranges".utf8)

    /// Whether the content consists of several parts, each with a place of its own.
    fileprivate var hasSeveralParts: Bool {
        lines(of: .contentType).contains { $0.prefix { $0 != .semicolon }.trimmed.lowercasedEquals(Self.multipartType) }
    }

    /// The length that the message states; `nil` if it states none, or none that makes sense.
    package var contentLength: Int? {
        singleLine(of: .contentLength).flatMap { Int(saturatingDigits: $0.trimmed) }
    }
}
