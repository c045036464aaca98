// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport

extension PlainCache {
    /// The answers to a request that a stored response serves.
    ///
    /// - Parameters:
    ///   - times: When the answer may have been made.
    ///   - isValidated: The origin has just confirmed the response. Then Age may be absent: RFC 9111 §4 asks for it "without validation".
    func serving(_ stored: PlainStored, _ request: PlainRequest, at times: [Int], isValidated: Bool = false) -> [PlainReplyPattern] {
        let response = stored.response
        let ages: [String?] = times.map { "\(stored.age(at: $0))" }
        var reply = PlainReplyPattern(
            status: response.status,
            body: request.method == "HEAD" ? "" : response.body,
            eTag: [stored.eTag],
            lastModified: [stored.lastModified],
            cacheControl: [response.fields["cache-control"]],
            age: isValidated ? ages + [nil] : ages
        )
        // Conditions apply to responses that would be 2xx (RFC 9110 §13.2.1); RFC 9111 §4.3.2 asks to judge
        // them for a stored 200 alone.
        guard (200..<300).contains(response.status) else { return [reply] }
        if isNotModified(stored, request) {
            let whole = reply
            reply.status = 304
            reply.body = ""
            // RFC 9110 §15.4.5: ETag and Cache-Control have to be there, Last-Modified need not.
            reply.lastModified = [stored.lastModified, nil]
            // Without a valid date in the response, a cache need not take the time of receipt for one: §4.3.2, SHOULD.
            let dates = [stored.lastModified, stored.lastModified == nil ? response.fields["date"] : nil]
            let isCertain = request.fields["if-none-match"] != nil || dates.contains { PlainDate.seconds($0) != nil }
            return response.status == 200 && isCertain ? [reply] : [reply, whole]
        }
        guard response.status == 200 else { return [reply] }
        // Range is for GET alone: RFC 9110 §14.2.
        guard request.method == "GET", let range = request.fields["range"], !has(.ignoresRanges) else { return [reply] }
        let part = self.part(range, of: response.body, reply)
        guard let condition = request.fields["if-range"] else { return [part] }
        return switch holds(condition, stored) {
        case true?: [part]
        case false?: [reply]
        case nil: [part, reply]
        }
    }

    /// RFC 9110 §13.2.2, RFC 9111 §4.3.2.
    private func isNotModified(_ stored: PlainStored, _ request: PlainRequest) -> Bool {
        if let list = request.fields["if-none-match"] {
            let tags = PlainDirectives.split(list)
            if tags == ["*"] { return true }
            // Tags are compared weakly: RFC 9110 §13.1.2.
            return stored.eTag.map { tag in tags.contains { Self.opaque($0) == Self.opaque(tag) } } ?? false
        }
        // A value that is no date is ignored: RFC 9110 §13.1.3.
        guard let since = PlainDate.seconds(request.fields["if-modified-since"]) else { return false }
        return (PlainDate.seconds(stored.lastModified) ?? stored.date) <= since
    }

    static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }

    /// Whether the content is exactly the one of which the client has a part: RFC 9110 §13.1.5. `nil`: the
    /// cache may see it either way.
    private func holds(_ condition: String, _ stored: PlainStored) -> Bool? {
        if condition.hasSuffix("\"") {
            guard let tag = stored.eTag else { return false }
            if has(.comparesWeakly) { return Self.opaque(condition) == Self.opaque(tag) }
            return condition == tag && !condition.hasPrefix("W/")
        }
        guard let date = PlainDate.seconds(condition), let modified = PlainDate.seconds(stored.lastModified), date == modified else { return false }
        // The date is a strong validator if the cache has reason to trust both clocks, and it is older than
        // the response: RFC 9110 §8.8.2.2. A cache need not trust them; and a range may always be ignored (§14.2).
        return stored.date - modified < 1 ? false : nil
    }

    /// RFC 9110 §14.1.2, §14.2, §15.3.7, §15.5.17.
    private func part(_ range: String, of body: String, _ whole: PlainReplyPattern) -> PlainReplyPattern {
        let bytes = Array(body.utf8)
        // Other units, and texts that are no range, are ignored.
        guard range.lowercased().hasPrefix("bytes=") else { return whole }
        let ends = range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map { String($0) }
        guard ends.count == 2, !(ends[0].isEmpty && ends[1].isEmpty) else { return whole }
        let first = PlainDirectives.seconds(ends[0])
        let last = PlainDirectives.seconds(ends[1])
        guard ends[0].isEmpty || first != nil, ends[1].isEmpty || last != nil else { return whole }
        var bounds: Range<Int>
        if let first {
            if let last, last < first { return whole }
            bounds = min(first, bytes.count)..<min((last ?? bytes.count) + 1, bytes.count)
            if first >= bytes.count { bounds = 0..<0 }
        } else {
            bounds = max(0, bytes.count - (last ?? 0))..<bytes.count
        }
        if bounds.isEmpty {
            return PlainReplyPattern(status: 416, contentRange: ["bytes */\(bytes.count)"], age: (whole.age ?? []) + [nil])
        }
        var part = whole
        part.status = 206
        part.body = String(decoding: bytes[bounds], as: UTF8.self)
        part.contentRange = ["bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/\(bytes.count)"]
        // RFC 9110 §15.3.7.2: with If-Range, the client has the other fields already.
        part.lastModified = (whole.lastModified ?? []) + [nil]
        return part
    }
}
