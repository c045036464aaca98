// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardCodings
internal import HoardMessages

/// The forms of content that a request accepts.
struct CodingSelection: Sendable {
    let rules: CodingRules
    private let accepted: AcceptEncoding
    /// Whether it accepts content that is compressed with a dictionary.
    private var acceptsDictionary = false
    /// The dictionary that the client has, and accepts content to be compressed with.
    var dictionary: CompressionDictionary?
    /// Whether content may be coded for this request. If not, it is only decoded where that is needed.
    private let encodes: Bool
    /// The form that the client has a part of, by the tag in `If-Range`.
    private var heldForm: ContentCoding??
    /// The tags in `If-None-Match` that the request may be answered with.
    private var heldTags: [String] = []
    /// Whether the client has named its copy by a date, which all forms share.
    let namesHeldFormByDate: Bool

    /// Reads a request, and makes of it the one that the cache understands: with one of two values of `Accept-Encoding`, and with the tags of stored responses beside
    /// those of their forms.
    init(_ rules: CodingRules, encodes: Bool, _ fields: inout HTTPFields) {
        self.rules = rules
        self.encodes = encodes
        let names = fields.has(.acceptEncoding) ? fields[values: .acceptEncoding].joined(separator: ",") : nil
        let accepted = AcceptEncoding(names)
        self.accepted = accepted
        // A part of coded content is of no use to a client that has another form of it.
        let mayBeCoded = accepted.isPresent && !fields.has(.range)
        let asked = rules.originCoding.flatMap { mayBeCoded && accepted.quality(of: $0) > 0 ? $0 : nil }
        fields[.acceptEncoding] = asked?.name ?? "identity"
        var isDate = false
        if fields.has(.ifRange), fields.has(.range), let value = fields.singleLine(of: .ifRange) {
            let tag = String(decoding: value.trimmed, as: UTF8.self)
            isDate = !tag.contains("\"")
            if let form = FormTag.split(tag) { heldForm = form.coding }
        }
        namesHeldFormByDate = isDate
        acceptsDictionary = encodes && AcceptEncoding.accepts(CompressionDictionary.codingName, in: names)
        if fields.has(.ifNoneMatch) {
            heldTags = Self.tags(in: fields, .ifNoneMatch).filter { tag in
                // A form that the request would not take now must not be confirmed: a cache between would give it to its client.
                guard let form = FormTag.split(tag) else { return true }
                return form.coding.map(accepts) ?? acceptsDictionary
            }
            Self.add(heldTags.compactMap { FormTag.split($0)?.stored }, to: &fields, .ifNoneMatch)
        }
    }

    /// The selection of a plain request, of whose fields only this one matters.
    init(_ rules: CodingRules, encodes: Bool, acceptEncoding: UnsafeRawBufferPointer?) {
        self.rules = rules
        self.encodes = encodes
        accepted = AcceptEncoding(bytes: acceptEncoding)
        namesHeldFormByDate = false
    }

    /// Looks for the dictionary that the client has, and takes the fields that name it out of the request: they are
    /// between the client and this cache.
    mutating func takeDictionary(from fields: inout HTTPFields, _ dictionaries: CompressionDictionaries?, for key: HTTPCacheKey) {
        guard dictionaries != nil, fields.has(.availableDictionary) else { return }
        if acceptsDictionary, !fields.has(.range) { dictionary = dictionaries?.dictionary(for: fields, key) }
        fields[.availableDictionary] = nil
        fields[.dictionaryID] = nil
    }

    /// Adds the tags of stored responses to those of their forms in `If-Match`, which the origin judges.
    static func addStoredTags(toIfMatchOf fields: inout HTTPFields) {
        guard fields.has(.ifMatch) else { return }
        // A weak tag never matches there.
        add(tags(in: fields, .ifMatch).filter { $0.hasPrefix("\"") }.compactMap { FormTag.split($0)?.stored }, to: &fields, .ifMatch)
    }

    private static func tags(in fields: HTTPFields, _ name: HTTPField.Name) -> [String] {
        fields.lines(of: name).flatMap { line in ListMembers(line, quoting: .entityTag).map { String(decoding: $0.bytes, as: UTF8.self) } }
    }

    private static func add(_ tags: [String], to fields: inout HTTPFields, _ name: HTTPField.Name) {
        if !tags.isEmpty { fields.append(HTTPField(name: name, value: tags.joined(separator: ", "))) }
    }

    /// The form in which content is to be served that has a coding itself, or has none.
    func target(for own: ContentCoding?) -> FormKind {
        dictionary.map { FormKind($0) } ?? FormKind(coding(for: own))
    }

    /// The same without a dictionary.
    private func coding(for own: ContentCoding?) -> ContentCoding? {
        if let heldForm, accepts(heldForm), heldForm == nil || heldForm == own || encodes && rules.offered.contains(where: { $0 == heldForm }) {
            return heldForm
        }
        var offers = encodes ? rules.offered : []
        if let own, !offers.contains(own) { offers.append(own) }
        return switch accepted.preferred(among: offers) {
        case .coding(let coding): coding
        case .identity: nil
        case .noneAcceptable: own
        }
    }

    func accepts(_ coding: ContentCoding?) -> Bool {
        guard let coding else { return accepted.identityQuality > 0 }
        return accepted.isPresent && accepted.quality(of: coding) > 0
    }

    /// The same where nothing is to be coded: content is only decoded, if that is needed.
    func decodedTarget(for own: ContentCoding?) -> ContentCoding? {
        guard let own else { return nil }
        if case .coding(own) = accepted.preferred(among: [own]) { return own }
        return accepted.identityQuality > 0 ? nil : own
    }

    /// A 304 names the form that the client has ([RFC 9110 §15.4.5](https://www.rfc-editor.org/rfc/rfc9110#section-15.4.5)).
    func nameHeldForm(in head: inout HTTPResponse) {
        guard head.status == .notModified, !heldTags.isEmpty, let tag = head.headerFields[.eTag], !heldTags.contains(tag) else { return }
        let stored = FormTag.split(tag)?.stored
        if let held = heldTags.first(where: { $0 == stored || FormTag.split($0)?.stored == stored ?? tag }) { head.headerFields[.eTag] = held }
    }
}

/// A selection that requests carry around.
final class SharedCodingSelection: Sendable {
    let selection: CodingSelection

    init(_ selection: CodingSelection) {
        self.selection = selection
    }
}
