// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardCodings
internal import NIOCore

/// The coding and the dictionary of a form.
struct FormKind: Hashable, Sendable {
    /// `nil`: without a coding.
    let coding: ContentCoding?
    let dictionary: CompressionDictionary?

    init(_ coding: ContentCoding?) { (self.coding, dictionary) = (coding, nil) }
    init(_ dictionary: CompressionDictionary) { (coding, self.dictionary) = (.zstandard, dictionary) }

    /// As `Content-Encoding` has it.
    var name: String? { dictionary == nil ? coding?.name : CompressionDictionary.codingName.description }

    static func == (left: Self, right: Self) -> Bool { left.coding == right.coding && left.dictionary?.digest == right.dictionary?.digest }

    func hash(into hasher: inout Hasher) {
        hasher.combine(coding)
        hasher.combine(dictionary?.digest)
    }
}

/// A stored response in another form; made when a client first asks for it, kept in memory beside the stored one, and gone with it.
struct CodedForm: Sendable {
    let kind: FormKind
    /// `nil`: the coding would not make the content shorter, so the stored response serves.
    let response: StoredResponse?

    var weight: Int { (response?.weight ?? 0) + 128 }
    /// The most forms of one response. Of those with dictionaries there could be any number.
    static let maximumCount = 8
}

extension StoredResponse {
    /// The form of a stored response that a request gets.
    enum Served {
        case form(StoredResponse)
        /// It has to be made first.
        case missing
    }

    /// The response in the form that a request wants, or itself where no other form will do.
    @inline(__always)
    func served(to selection: CodingSelection) -> Served {
        guard isCodable, trailers.isEmpty else { return .form(self) }
        let own = FormKind(coding)
        let target = selection.target(for: coding)
        if target == own { return .form(self) }
        guard let form = forms.first(where: { $0.kind == target }) else { return .missing }
        return .form(form.response ?? self)
    }

    /// The same response with another form of it.
    ///
    /// - Parameter content: The content in that form; `nil`: it is not worth it.
    /// - Complexity: O(*n*) in the bytes of the form.
    func adding(_ content: ByteBuffer?, _ kind: FormKind, rules: HTTPCacheRules) -> Self {
        let form = content.map { content in
            var head = head.form(kind)
            head.headerFields.append(HTTPField(name: .contentLength, value: String(content.readableBytes)))
            return StoredResponse(
                head: head,
                body: StoredBody(content),
                requestTime: requestTime,
                responseTime: responseTime,
                staleSince: staleSince,
                freshness: freshness,
                rules: rules
            ).packed
        }
        var copy = self
        var kept = forms.filter { $0.kind != kind }
        // The oldest one with a dictionary goes.
        if kept.count >= CodedForm.maximumCount, let oldest = kept.firstIndex(where: { $0.kind.dictionary != nil }) { kept.remove(at: oldest) }
        copy.forms = kept + [CodedForm(kind: kind, response: form)]
        return copy
    }
}
