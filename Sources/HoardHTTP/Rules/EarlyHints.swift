// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// Links of a stored response, which a client can begin to fetch while the origin thinks about its answer
/// ([RFC 8297](https://www.rfc-editor.org/rfc/rfc8297)).
///
/// They are a guess. Only the final response counts.
enum EarlyHints {
    /// Relations that say what to fetch or whom to connect to ([HTML §4.6.7](https://html.spec.whatwg.org/#linkTypes)).
    private static let relations: Set<String> = ["preload", "modulepreload", "preconnect", "dns-prefetch", "prefetch"]
    /// The most links that are told.
    static let maximumCount = 16

    /// The interim response for a request whose stored response cannot be used as it is; `nil` if that has no such links.
    ///
    /// Nor if the response may have been one to a request with `Authorization` ([RFC 9111 §3.5](https://www.rfc-editor.org/rfc/rfc9111#section-3.5)): whether this client is to
    /// know of its links, the origin has yet to say.
    static func response(of stored: StoredResponse) -> HTTPResponse? {
        let directives = stored.freshness.cacheControl
        guard !directives.isPublic, !directives.mustRevalidate, directives.sharedMaxAge == nil else { return nil }
        let links = stored.head.headerFields[values: .link].lazy.flatMap { members(of: $0) }.filter { isHint($0) }.prefix(maximumCount)
        guard !links.isEmpty else { return nil }
        var fields = HTTPFields()
        for link in links { fields.append(HTTPField(name: .link, value: link)) }
        return HTTPResponse(status: .init(code: 103, reasonPhrase: "Early Hints"), headerFields: fields)
    }

    /// The members of a `Link` field, whose targets and quoted parameters may have commas: [RFC 8288 §3](https://www.rfc-editor.org/rfc/rfc8288#section-3).
    private static func members(of value: String) -> [String] { parts(of: value, at: ",").filter { $0.first == "<" } }

    private static func isHint(_ link: String) -> Bool {
        parts(of: link, at: ";").dropFirst().contains { parameter in
            let sides = parameter.split(separator: "=", maxSplits: 1).map { trimmed($0) }
            guard sides.count == 2, sides[0].lowercased() == "rel" else { return false }
            // Several relations stand in quotes.
            return sides[1].split { $0 == "\"" || $0 == " " }.contains { relations.contains($0.lowercased()) }
        }
    }

    /// The parts between separators that are neither in a target nor in a quoted string, without spaces around them.
    private static func parts(of text: String, at separator: Character) -> [String] {
        var parts: [String] = []
        var part = ""
        var (isTarget, isQuoted, isEscaped) = (false, false, false)
        for character in text {
            if character == separator, !isTarget, !isQuoted {
                parts.append(trimmed(part[...]))
                part = ""
                continue
            }
            part.append(character)
            if isEscaped {
                isEscaped = false
            } else if isQuoted {
                if character == "\\" { isEscaped = true }
                if character == "\"" { isQuoted = false }
            } else if isTarget {
                if character == ">" { isTarget = false }
            } else if character == "\"" {
                isQuoted = true
            } else if character == "<" {
                isTarget = true
            }
        }
        parts.append(trimmed(part[...]))
        return parts
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
