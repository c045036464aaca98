// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The URLs of a sitemap: pages, or other sitemaps ([sitemaps.org](https://www.sitemaps.org/protocol.html)).
package struct Sitemap: Equatable {
    /// Whether the URLs are those of other sitemaps.
    package let isIndex: Bool
    /// In their order, as they are written.
    package let urls: [String]

    /// Reads XML, or text with a URL on each line. Everything beside the `loc` elements is skipped, broken or not.
    ///
    /// O(*n*).
    package init(_ text: String) {
        guard text.contains("<urlset") || text.contains("<sitemapindex") else {
            isIndex = false
            urls = text.split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0.isWhitespace } }.compactMap { line in
                line.isEmpty || line.hasPrefix("#") ? nil : String(line.prefix { !$0.isWhitespace })
            }
            return
        }
        isIndex = text.contains("<sitemapindex")
        var rest = Self.withoutComments(text)[...]
        var urls: [String] = []
        while let start = rest.firstRange(of: "<loc>") {
            rest = rest[start.upperBound...]
            guard let end = rest.firstRange(of: "</loc>") else { break }
            let url = Self.value(rest[..<end.lowerBound])
            if !url.isEmpty { urls.append(url) }
            rest = rest[end.upperBound...]
        }
        self.urls = urls
    }

    private static func withoutComments(_ text: String) -> String {
        var kept = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "<!--") {
            kept += rest[..<start.lowerBound]
            rest = rest[start.upperBound...]
            rest = rest.firstRange(of: "-->").map { rest[$0.upperBound...] } ?? ""
        }
        return kept + rest
    }

    /// The text of an element, without its white space.
    private static func value(_ content: Substring) -> String {
        var text = content.trimmingPrefix { $0.isWhitespace }
        while text.last?.isWhitespace == true { text.removeLast() }
        if text.hasPrefix("<![CDATA["), text.hasSuffix("]]>") { return String(text.dropFirst(9).dropLast(3)) }
        guard text.contains("&") else { return String(text) }
        var result = ""
        while let ampersand = text.firstIndex(of: "&") {
            result += text[..<ampersand]
            text = text[ampersand...]
            guard let end = text.prefix(12).firstIndex(of: ";"), let character = character(text[text.index(after: ampersand)..<end]) else {
                result.append(text.removeFirst())
                continue
            }
            result.append(character)
            text = text[text.index(after: end)...]
        }
        return result + text
    }

    /// The character that a reference stands for: [XML §4.1](https://www.w3.org/TR/xml/#sec-references).
    private static func character(_ name: Substring) -> Character? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.first == "#" else { return nil }
            let digits = name.dropFirst()
            let number = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.flatMap(Unicode.Scalar.init).map(Character.init)
        }
    }
}
