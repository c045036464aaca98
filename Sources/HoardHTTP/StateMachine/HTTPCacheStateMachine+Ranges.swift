// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension HTTPCacheStateMachine {
    /// Returns the part to store of a 206 that the client has asked for: [RFC 9111 §3.3](https://www.rfc-editor.org/rfc/rfc9111#section-3.3),
    /// [§3.4](https://www.rfc-editor.org/rfc/rfc9111#section-3.4).
    ///
    /// - Returns: `nil` if the content is not one part of a known place, if the client did not ask for a part, or if it asked with `If-Range` for a part of
    ///   something that is not stored.
    func storingPart(_ received: Received, _ exchange: Exchange) -> (Storing, HTTPDecision)? {
        guard client.fields.contains(.range), let part = PartialContent(received.head, bodyLength: received.bodyLength) else { return nil }
        if let stored = exchange.stored, received.part(of: stored) != nil { return (combining(part, received, stored), .combined) }
        // It may lack fields that the whole has: RFC 9110 §15.3.7.
        if client.fields.contains(.ifRange) { return nil }
        let response = storedForm(of: received, head: part.wholeHead(of: received.head))
        return (Storing(response: response, placement: Placement(part), mayKeepIncomplete: part.validator != nil), .storedPart)
    }

    /// Handles the 206 to a request for the missing part of the stored response.
    mutating func completed(
        _ received: Received,
        _ stored: StoredResponse,
        _ asked: RangeRequest.Part,
        _ exchange: Exchange
    ) -> ResponseAction {
        guard let part = received.part(of: stored), part.isAll(of: asked, completeLength: part.completeLength ?? stored.body.completeLength) else {
            return askAgain(exchange, because: .unusablePart)
        }
        let storing = combining(part, received, stored)
        let freshness = storing.response.freshness
        let isStorable = Storability(of: storing.response.head, to: client.original, freshness: freshness, rules: rules) == .storable
        let forwarding = CacheStatus.Forwarding(exchange.cause.reason, status: 206, isStored: isStorable)
        let status = status(.forwarded(forwarding), timeToLive: freshness.wholeTimeToLive(at: received.responseTime))
        let head = answer(.whole, from: storing.response, because: .completed, status: status, now: received.responseTime).head
        return .deliverCombined(head, stored: stored, storing, Effects(reason: .completed, removesFound: !isStorable))
    }

    private func combining(_ part: PartialContent, _ received: Received, _ stored: StoredResponse) -> Storing {
        let head = part.combinedHead(stored: stored.head, new: received.head, completeLength: stored.body.completeLength, rules: rules)
        var body = stored.body
        body.completeLength = part.completeLength ?? stored.body.completeLength
        let response = storedForm(of: received, head: head, body: body, trailers: stored.trailers)
        return Storing(response: response, placement: Placement(part, completeLength: body.completeLength), mayKeepIncomplete: true)
    }
}

extension HTTPCacheStateMachine.Received {
    /// The part that came, if it can be joined with the stored response.
    func part(of stored: StoredResponse) -> PartialContent? {
        guard let part = PartialContent(head, bodyLength: bodyLength),
            part.mayCombine(with: stored.head, new: head, completeLength: stored.body.completeLength)
        else { return nil }
        return part
    }
}

extension HTTPCacheStateMachine.Placement {
    fileprivate init(_ part: PartialContent, completeLength: Int? = nil) {
        self.init(offset: part.range.lowerBound, length: part.range.count, completeLength: completeLength ?? part.completeLength)
    }
}

extension PartialContent {
    /// Whether the part is all that was asked for, so that the whole is complete with it.
    fileprivate func isAll(of asked: RangeRequest.Part, completeLength: Int?) -> Bool {
        guard case .from(let first, let last) = asked, range.lowerBound == first, let completeLength else { return false }
        return range.upperBound == (last.map { $0 + 1 } ?? completeLength)
    }
}
