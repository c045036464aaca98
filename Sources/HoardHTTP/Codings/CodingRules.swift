// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import HoardCodings

extension HTTPCache.ContentCodingPolicy {
    /// The reason why content cannot be coded so in this build, as a sentence; `nil` if it can.
    package static func objection(toCoding name: String) -> String? {
        let available = ["br", "zstd", "gzip"].filter { name in ContentCoding.available.contains { $0.name == name } }
        return available.contains(name) ? nil : "“\(name)” is none of the codings of this build: \(available.joined(separator: ", "))."
    }
}

/// The choice of codings for responses: ``HTTPCache/ContentCodingPolicy`` in the form in which it is applied.
package struct CodingRules: Hashable, Sendable {
    /// The best first.
    let offered: [ContentCoding]
    let originCoding: ContentCoding?
    let minimumBytes: Int
    let codesUnstored: Bool
    /// 0: there are no dictionaries.
    let maximumDictionaryBytes: Int
    private var types: Set<String> = []
    /// With the slash.
    private var kinds: [String] = []
    /// With the plus sign.
    private var suffixes: [String] = []

    package init(_ policy: HTTPCache.ContentCodingPolicy) {
        func available(_ name: String) -> ContentCoding? { ContentCoding(name: name).flatMap { ContentCoding.available.contains($0) ? $0 : nil } }
        var offered: [ContentCoding] = []
        for coding in policy.codings.compactMap(available) where !offered.contains(coding) { offered.append(coding) }
        self.offered = offered
        originCoding = policy.originCoding.flatMap(available)
        minimumBytes = max(1, policy.minimumBytes)
        codesUnstored = policy.codesUnstored
        maximumDictionaryBytes = ContentCoding.available.contains(.zstandard) ? max(0, policy.maximumDictionaryBytes) : 0
        for type in policy.mediaTypes.map({ $0.lowercased() }) {
            if type.hasSuffix("/*") {
                kinds.append(String(type.dropLast()))
            } else if type.hasPrefix("*+") {
                suffixes.append(String(type.dropFirst()))
            } else {
                types.insert(type)
            }
        }
    }

    /// Whether a response may be served in another coding than it has. O(*n*) in the number of fields.
    package func isCodable(_ head: HTTPResponse) -> Bool {
        let fields = head.headerFields
        switch head.status.code {
        case 200, 203, 403, 404, 410: break
        default: return false
        }
        if fields.has(.contentRange) { return false }
        if fields.has(.cacheControl), CacheControl(response: fields).noTransform { return false }
        if fields.has(.contentEncoding) { return coding(of: fields) != nil }
        guard let type = fields.singleLine(of: .contentType), isWorthCoding(type) else { return false }
        return fields.contentLength.map { $0 >= minimumBytes } ?? true
    }

    /// The one coding that content has; `nil` if it has none, several, or one that this build does not know.
    func coding(of fields: HTTPFields) -> ContentCoding? {
        guard let codings = fields.contentCodings, codings.count == 1 else { return nil }
        return codings[0]
    }

    private func isWorthCoding(_ contentType: [UInt8]) -> Bool {
        let type = String(decoding: contentType.prefix { $0 != .semicolon }.filter { !$0.isOptionalWhitespace }, as: UTF8.self).lowercased()
        return types.contains(type) || kinds.contains { type.hasPrefix($0) } || suffixes.contains { type.hasSuffix($0) }
    }

    /// The request fields by which forms are chosen.
    var selectingFields: [HTTPField.Name] { maximumDictionaryBytes > 0 ? [.acceptEncoding, .availableDictionary] : [.acceptEncoding] }

    /// The head of a response as it is stored and delivered: if it may be coded, its `Vary` names the fields on which
    /// the form depends ([RFC 9110 §12.5.5](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.5)).
    func prepared(_ head: HTTPResponse) -> HTTPResponse {
        guard isCodable(head) else { return head }
        let members = head.headerFields.lines(of: .vary).flatMap { ListMembers($0).map { $0.bytes.map(\.lowercased) } }
        if members.contains(Array("*".utf8)) { return head }
        let missing = selectingFields.filter { !members.contains(Array($0.canonicalName.utf8)) }
        if missing.isEmpty { return head }
        var head = head
        head.headerFields.append(HTTPField(name: .vary, value: missing.map(\.rawName).joined(separator: ", ")))
        return head
    }
}
