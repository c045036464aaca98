// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardCodings

/// The entity tags of the forms of one response: that of the stored one, with the name of the coding behind a colon.
///
/// A strong tag promises equal bytes, so each form needs its own ([RFC 9110 §8.8.3.3](https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3.3)). A weak one stands for
/// all forms.
enum FormTag {
    private static let identity = "identity"
    private static let dictionary = "\(CompressionDictionary.codingName)-"
    /// So many hexadecimal digits of a dictionary's digest.
    private static let digitCount = 16

    /// The tag of a form.
    static func tag(_ tag: String, for form: FormKind) -> String {
        guard tag.utf8.count >= 2, tag.hasPrefix("\""), tag.hasSuffix("\"") else { return tag }
        let name = form.dictionary.map { dictionary + $0.digest.hexadecimal.prefix(digitCount) } ?? form.coding?.name ?? identity
        return "\(tag.dropLast()):\(name)\""
    }

    /// The tag of the stored response from that of a form, and the coding, which is not told of a form with a dictionary; `nil` if it is of no form.
    static func split(_ tag: String) -> (stored: String, coding: ContentCoding??)? {
        // A client that keeps decoded content may have weakened the tag.
        let tag = tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
        guard tag.hasPrefix("\""), tag.hasSuffix("\""), let colon = tag.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = tag[tag.utf8.index(after: colon)...].dropLast()
        let stored = String(tag[..<colon]) + "\""
        if name.hasPrefix(dictionary), name.utf8.count == dictionary.utf8.count + digitCount { return (stored, nil) }
        let coding = ContentCoding(name: String(name))
        guard coding?.name ?? identity == name else { return nil }
        return (stored, .some(coding))
    }
}

extension HTTPField.Name {
    /// Whether it is about bytes that are others in another coding: RFC 9530 §3.
    var isDigest: Bool { ["content-md5", "content-digest", "repr-digest", "digest"].contains(canonicalName) }
}

extension HTTPResponse {
    /// The head of another form of this response. Without `Content-Length`.
    func form(_ form: FormKind) -> HTTPResponse {
        var head = self
        head.headerFields = HTTPFields(
            headerFields.filter { field in
                switch field.name.canonicalName {
                case "content-length", "content-encoding": false
                default: !field.name.isDigest
                }
            }
        )
        if let tag = head.headerFields[.eTag] { head.headerFields[.eTag] = FormTag.tag(tag, for: form) }
        if let name = form.name { head.headerFields.append(HTTPField(name: .contentEncoding, value: name)) }
        return head
    }
}
