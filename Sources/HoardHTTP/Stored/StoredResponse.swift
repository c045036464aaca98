// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import HoardCodings
internal import HoardMessages
internal import NIOCore
internal import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A response as the cache keeps it, whole or incomplete: the origin's message, the times of the request and the
/// answer, and the conclusions from them.
///
/// The head is that of the whole representation. So for a stored 206 the status is 200 ([RFC 9110 §15.3.7](https://www.rfc-editor.org/rfc/rfc9110#section-15.3.7)),
/// there is no `Content-Range`, and `Content-Length` is that of the whole if it is known.
///
/// Everything that a decision reads is derived when the response is made, and shared by all copies: copying is cheap, and deciding reads no fields.
package struct StoredResponse: Sendable {
    private var message: Message

    /// - Parameters:
    ///   - head: The status and the fields to be stored, in the origin's order and bytes.
    ///   - staleSince: From when on the response counts as stale, however long its lifetime is.
    ///   - freshness: The freshness of `head` at these times, if it is known already.
    ///   - rules: Of the cache that keeps the response; they decide which directives are in force.
    package init(
        head: HTTPResponse,
        body: StoredBody = .empty,
        trailers: HTTPFields = [:],
        requestTime: Date,
        responseTime: Date,
        staleSince: Date? = nil,
        freshness: ResponseFreshness? = nil,
        rules: HTTPCacheRules
    ) {
        let wire = WireHead(head)
        var extras = Message.Extras()
        if wire == nil { extras.head = head }
        if body != .empty { extras.body = body }
        extras.trailers = trailers
        extras.staleSince = staleSince
        extras.noVarySearch = NoVarySearch(head.headerFields)
        let freshness = freshness ?? ResponseFreshness(of: head, requestTime: requestTime, responseTime: responseTime, rules: rules)
        let weight = head.headerFields.reduce(0) { $0 + $1.weight }
        message = Message(
            head,
            wire: wire,
            extras: extras,
            fieldWeight: weight,
            requestTime: requestTime,
            freshness: freshness,
            codings: rules.codings
        )
        // With content apart from the head, it is not in the form that is kept, but is about to be served.
        if wire != nil, extras.body != nil { message.remember(head) }
    }

    /// A whole response with short content, ``packed`` already.
    ///
    /// - Parameter freshness: The freshness of the head.
    /// - Returns: `nil` if the head has to be kept in another form than its bytes.
    /// - Complexity: O(*n*) in the bytes of head and content.
    init?(_ head: PlainResponseHead, content: UnsafeRawBufferPointer, requestTime: Date, freshness: ResponseFreshness) {
        guard let wire = WireHead(head, content: content) else { return nil }
        var extras = Message.Extras()
        extras.noVarySearch = NoVarySearch(head.judged.headerFields)
        // Each line has four bytes that belong to neither name nor value.
        let weight = head.bytes.count - head.fieldsStart + head.fieldCount * (HTTPField.fixedWeight - 4)
        message = Message(head.judged, wire: wire, extras: extras, fieldWeight: weight, requestTime: requestTime, freshness: freshness)
    }

    /// The content, as far as it is stored. Setting it is O(1).
    package var body: StoredBody {
        get { message.body }
        set {
            var extras = message.extras
            extras.body = newValue
            extras.forms = []
            message = Message(message, wire: message.wire, extras: extras)
        }
    }

    /// The fields that came behind the content, kept apart from those of the head ([RFC 9110 §6.5.1](https://www.rfc-editor.org/rfc/rfc9110#section-6.5.1));
    /// empty if there were none.
    package var trailers: HTTPFields {
        get { message.trailers }
        set {
            var extras = message.extras
            extras.trailers = newValue
            extras.forms = []
            message = Message(message, wire: message.wire, extras: extras)
        }
    }

    /// Whether it may be served in another coding than it has.
    @inline(__always) var isCodable: Bool { message.isCodable }

    /// The one coding that it has; `nil` if it has none, or is not ``isCodable``.
    @inline(__always) var coding: ContentCoding? { message.coding }

    /// The forms that have been made for clients that want other codings.
    var forms: [CodedForm] {
        get { message.extras.forms }
        set {
            var extras = message.extras
            extras.forms = newValue
            message = Message(message, wire: message.wire, extras: extras)
        }
    }

    /// The same response in as little memory as it needs: short content lies behind the head. For responses that are
    /// kept.
    ///
    /// - Complexity: O(*n*) in the bytes of the head, and of the content if it is short.
    package var packed: Self {
        var extras = message.extras
        guard let body = extras.body else { return self }
        var packed = self
        if let wire = message.wire, let length = body.wholeByteCount, length <= PackedContent.maximumByteCount {
            extras.body = nil
            packed.message = Message(message, wire: wire.with(body), extras: extras)
        } else {
            extras.body = body.packed
            packed.message = Message(message, wire: message.wire, extras: extras)
        }
        return packed
    }

    /// The same response, which counts as stale from `date` on until the origin has confirmed it.
    package func markedStale(at date: Date, rules: HTTPCacheRules) -> Self {
        StoredResponse(
            head: head,
            body: body,
            trailers: trailers,
            requestTime: requestTime,
            responseTime: responseTime,
            staleSince: min(date, staleSince ?? date),
            rules: rules
        )
    }

    /// The status and the fields to be stored, in the origin's order and bytes. O(*n*) in their number.
    package var head: HTTPResponse { message.head }

    /// The head as it was stored, but for `Age`, which every answer has anew, and for the additions of the owner's
    /// policy.
    package var headWithoutAge: HTTPResponse { message.headWithoutAge }

    /// When the request that led to this response was sent: [RFC 9111 §4.2.3](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.3).
    package var requestTime: Date { message.requestTime }

    /// When this response, or the 304 that last updated it, was received.
    package var responseTime: Date { message.freshness.age.responseTime }

    /// The time from which the response counts as stale, however long its lifetime is; `nil` if it has not been marked stale.
    package var staleSince: Date? { message.staleSince }

    /// The directives in force, the lifetime and the age.
    package var freshness: ResponseFreshness { message.freshness }

    /// O(*n*) in the number of fields.
    package var validators: Validators {
        if let wire = wireHead, let plain = wire.withLines({ PlainValidators($0).map { Validators($0) } }) { return plain }
        return Validators(of: message.headWithoutAge.headerFields)
    }

    /// Whether the response can be validated. O(1).
    var hasValidators: Bool { message.hasValidators }

    /// The request fields that select the response.
    package var vary: Vary { message.vary }

    /// The tags by which the response may be removed: the members of `Cache-Tag` and `Surrogate-Key`, and the tags of the owner's policy.
    package var tags: Set<String> { message.tags }
    /// The groups of its origin that it belongs to, in order.
    package var groups: [String] { tags.compactMap { CacheGroups.name(ofMark: $0) }.sorted() }
    /// The tags that others have given it, in order.
    var foreignTags: [String] { tags.filter { CacheGroups.name(ofMark: $0) == nil }.sorted() }

    /// The parts of the query that do not matter; `nil` if it matters as it is.
    package var noVarySearch: NoVarySearch? { message.noVarySearch }

    /// The status code.
    package var statusCode: Int { Int(message.statusCode) }

    /// Whether all of the content is stored.
    package var isComplete: Bool { body.isComplete }

    /// The weight of the response in the memory tier: its bytes, and the space that its fields take.
    package var weight: Int {
        let weight = trailers.reduce(Int(message.weight) + body.byteCountAtHand) { $0 + $1.weight }
        return message.isCodable ? forms.reduce(weight) { $0 + $1.weight } : weight
    }
}

extension StoredResponse: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        (left.message === right.message || left.message.isEqual(to: right.message)) && left.body == right.body && left.trailers == right.trailers
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(statusCode)
        hasher.combine(responseTime)
        hasher.combine(body)
    }
}

extension StoredResponse {
    /// The head as HTTP/1.1 servers write it, if it can be written without looking at its fields one by one; see ``WireHead``.
    var wireHead: WireHead? { message.wire }

    /// All that is known of a response, and all that is derived from it. One for all copies.
    ///
    /// There are as many of these as there are entries in memory. So the head is kept as bytes, which are read back when a caller asks for it, and the parts
    /// that few responses have are kept apart.
    private final class Message: Sendable {
        /// The head as bytes, and short content; `nil` if bytes cannot stand for all of the head.
        let wire: WireHead?
        let statusCode: UInt16
        let hasValidators: Bool
        /// The coding, or none, that it has; `nil`: it stays as it is.
        private let codableFrom: ContentCoding??
        let weight: UInt32
        let requestTime: Date
        let freshness: ResponseFreshness
        let vary: Vary
        let tags: Set<String>
        private let extrasBox: ExtrasBox?
        /// The head without `Age`, once it has been asked for.
        private let headWithoutAgeRead = AtomicLazyReference<Head>()

        /// The parts that few responses in memory have.
        struct Extras {
            /// The head if bytes cannot stand for it.
            var head: HTTPResponse?
            /// The content if it does not lie behind the head.
            var body: StoredBody?
            var trailers: HTTPFields = [:]
            var staleSince: Date?
            var noVarySearch: NoVarySearch?
            var forms: [CodedForm] = []

            var isEmpty: Bool { head == nil && body == nil && trailers.isEmpty && staleSince == nil && noVarySearch == nil && forms.isEmpty }
        }

        private final class ExtrasBox: Sendable {
            let extras: Extras
            init(_ extras: Extras) { self.extras = extras }
        }

        /// - Parameter judged: The head, or at least the status and the fields that decisions are made by.
        init(
            _ judged: HTTPResponse,
            wire: WireHead?,
            extras: Extras,
            fieldWeight: Int,
            requestTime: Date,
            freshness: ResponseFreshness,
            codings: CodingRules? = nil
        ) {
            let fields = judged.headerFields
            self.wire = wire
            self.requestTime = requestTime
            self.freshness = extras.staleSince.map { freshness.stale(from: $0) } ?? freshness
            codableFrom = codings.flatMap { $0.isCodable(judged) ? .some($0.coding(of: fields)) : nil }
            // All clients share it, whatever they accept.
            vary = codableFrom == nil ? Vary(fields) : Vary(fields).without(codings?.selectingFields ?? [])
            let tags = CacheTags.tags(in: fields).union(PolicyField(fields)?.tags ?? [])
            self.tags = fields.has(.cacheGroups) ? tags.union(CacheGroups.marks(in: fields)) : tags
            statusCode = UInt16(clamping: judged.status.code)
            hasValidators = !Validators(of: fields).isEmpty
            weight = UInt32(clamping: 512 + fieldWeight)
            extrasBox = extras.isEmpty ? nil : ExtrasBox(extras)
        }

        /// The same head with other content, trailers or memory.
        init(_ other: Message, wire: WireHead?, extras: Extras) {
            self.wire = wire
            requestTime = other.requestTime
            freshness = other.freshness
            vary = other.vary
            codableFrom = other.codableFrom
            tags = other.tags
            statusCode = other.statusCode
            hasValidators = other.hasValidators
            weight = other.weight
            extrasBox = extras.isEmpty ? nil : ExtrasBox(extras)
        }

        var isCodable: Bool { codableFrom != nil }
        var coding: ContentCoding? { codableFrom ?? nil }

        var extras: Extras { extrasBox?.extras ?? Extras() }

        var body: StoredBody { extrasBox?.extras.body ?? wire.map { StoredBody($0.content) } ?? .empty }
        var trailers: HTTPFields { extrasBox?.extras.trailers ?? [:] }
        var staleSince: Date? { extrasBox?.extras.staleSince }
        var noVarySearch: NoVarySearch? { extrasBox?.extras.noVarySearch }

        /// O(*n*) in the bytes of the fields.
        var head: HTTPResponse {
            guard let wire else { return extrasBox?.extras.head ?? HTTPResponse(status: .init(code: Int(statusCode))) }
            return HTTPResponse(status: .init(code: Int(statusCode), reasonPhrase: wire.reasonPhrase), headerFields: wire.fields)
        }

        /// Amortised O(1).
        var headWithoutAge: HTTPResponse {
            if let read = headWithoutAgeRead.load() { return read.head }
            var head = head
            if head.headerFields.contains(.age) { head.headerFields[.age] = nil }
            if head.headerFields.contains(.hoardPolicy) { head.headerFields[.hoardPolicy] = nil }
            return headWithoutAgeRead.storeIfNil(Head(head)).head
        }

        /// Keeps the head at hand that was read from the same fields.
        func remember(_ head: HTTPResponse) {
            guard !head.headerFields.contains(.age), !head.headerFields.contains(.hoardPolicy) else { return }
            _ = headWithoutAgeRead.storeIfNil(Head(head))
        }

        /// Compares the sources alone: in one cache, values derived from equal sources are equal.
        func isEqual(to other: Message) -> Bool {
            requestTime == other.requestTime && freshness == other.freshness && head == other.head
        }
    }

    private final class Head: Sendable {
        let head: HTTPResponse

        init(_ head: HTTPResponse) {
            self.head = head
        }
    }
}

extension HTTPField {
    /// The weight of a field beside the bytes of its name and its value.
    fileprivate static var fixedWeight: Int { 64 }

    fileprivate var weight: Int { name.rawName.utf8.count + value.utf8.count + Self.fixedWeight }
}
