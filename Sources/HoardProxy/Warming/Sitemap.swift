// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The URLs of a sitemap: pages, or other sitemaps ([sitemaps.org](https://www.sitemaps.org/protocol.html)).
package struct Sitemap: Sendable, Equatable {
    /// Whether the URLs are those of other sitemaps.
    package let isIndex: Bool
    /// In their order, as they are written.
    package let urls: [String]

    /// Reads XML, or text with a URL on each line. Everything beside the `loc` elements is skipped, broken or not. Ends early if the task is cancelled.
    ///
    /// O(*n*).
    ///
    /// - Returns: `nil` for XML whose root is neither a `urlset` nor a `sitemapindex`: it is a page.
    package init?(_ text: String) {
        var markup = Markup(Array(text.utf8))
        guard markup.isXML else {
            isIndex = false
            urls = Self.lines(markup.rest)
            return
        }
        guard case .start(let root, let isEmpty)? = markup.next() else { return nil }
        let local = root.suffix(while: { $0 != UInt8(ascii: ":") })
        isIndex = local.elementsEqual("sitemapindex".utf8)
        guard isIndex || local.elementsEqual("urlset".utf8) else { return nil }
        let location = Array(root.dropLast(local.count)) + Array("loc".utf8)
        var urls: [String] = []
        while !isEmpty, !Task.isCancelled, let tag = markup.next() {
            guard case .start(let name, isEmpty: false) = tag, name.elementsEqual(location) else { continue }
            guard let url = markup.text() else { break }
            if !url.isEmpty { urls.append(url) }
        }
        self.urls = urls
    }

    private static func lines(_ bytes: ArraySlice<UInt8>) -> [String] {
        var urls: [String] = []
        for line in bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) where !Task.isCancelled {
            let text = line.drop(while: \.isXMLSpace)
            guard let first = text.first, first != UInt8(ascii: "#") else { continue }
            urls.append(String(decoding: text.prefix { !$0.isXMLSpace }, as: UTF8.self))
        }
        return urls
    }
}

/// XML, as far as that is needed: tags by their names, and the text of an element without others in it.
private struct Markup {
    enum Tag {
        case start(ArraySlice<UInt8>, isEmpty: Bool)
        case end
    }

    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        rest = bytes[...].starts(with: mark) ? bytes[3...] : bytes[...]
    }

    var isXML: Bool { rest.first { !$0.isXMLSpace } == UInt8(ascii: "<") }

    /// The next tag; comments, declarations and text are skipped. `nil`: there is none, or it does not end.
    mutating func next() -> Tag? {
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[start...]
            if skip("<!--", to: "-->") || skip("<![CDATA[", to: "]]>") || skip("<?", to: "?>") || skip("<!", to: ">") { continue }
            guard let end = endOfTag() else { break }
            let tag = rest[(start + 1)..<end]
            rest = rest[(end + 1)...]
            if tag.first == UInt8(ascii: "/") { return .end }
            return .start(tag.prefix { !$0.isXMLSpace && $0 != UInt8(ascii: "/") }, isEmpty: tag.last == UInt8(ascii: "/"))
        }
        rest = []
        return nil
    }

    /// The text up to the next tag, without white space around it. `nil`: there is no such tag.
    mutating func text() -> String? {
        var text: [UInt8] = []
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            text += Self.unescaped(rest[..<start])
            rest = rest[start...]
            if skip("<!--", to: "-->") { continue }
            let raw = rest.dropFirst(9)
            if skip("<![CDATA[", to: "]]>") {
                text += raw[..<max(raw.startIndex, rest.startIndex - 3)]
                continue
            }
            return String(decoding: text.trimmed, as: UTF8.self)
        }
        return nil
    }

    /// Skips a piece with this beginning and end. A piece without the end is the whole rest.
    private mutating func skip(_ beginning: StaticString, to end: StaticString) -> Bool {
        guard rest.starts(with: UnsafeBufferPointer(start: beginning.utf8Start, count: beginning.utf8CodeUnitCount)) else { return false }
        let last = UnsafeBufferPointer(start: end.utf8Start, count: end.utf8CodeUnitCount)
        var index = rest.startIndex + beginning.utf8CodeUnitCount
        while index <= rest.endIndex - last.count {
            if rest[index...].starts(with: last) {
                rest = rest[(index + last.count)...]
                return true
            }
            index += 1
        }
        rest = []
        return true
    }

    /// The place of the tag's `>`, which may also stand in the value of an attribute.
    private func endOfTag() -> Int? {
        var quote: UInt8?
        for index in rest.indices {
            let byte = rest[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return index
            }
        }
        return nil
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "&")) else { return Array(bytes) }
        var result: [UInt8] = []
        var rest = bytes
        while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += rest[..<ampersand]
            rest = rest[ampersand...]
            guard let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")), let character = character(rest[(ampersand + 1)..<end]) else {
                result.append(rest.removeFirst())
                continue
            }
            result += Array(String(character).utf8)
            rest = rest[(end + 1)...]
        }
        return result + rest
    }

    /// The character that a reference stands for: [XML §4.1](https://www.w3.org/TR/xml/#sec-references).
    private static func character(_ bytes: ArraySlice<UInt8>) -> Character? {
        let name = String(decoding: bytes, as: UTF8.self)
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

extension UInt8 {
    fileprivate var isXMLSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

extension Collection<UInt8> where Self: BidirectionalCollection {
    /// Without white space around it.
    fileprivate var trimmed: SubSequence {
        guard let first = firstIndex(where: { !$0.isXMLSpace }), let last = lastIndex(where: { !$0.isXMLSpace }) else {
            return self[startIndex..<startIndex]
        }
        return self[first...last]
    }

    fileprivate func suffix(while predicate: (UInt8) -> Bool) -> SubSequence {
        guard let last = lastIndex(where: { !predicate($0) }) else { return self[...] }
        return self[index(after: last)...]
    }
}
