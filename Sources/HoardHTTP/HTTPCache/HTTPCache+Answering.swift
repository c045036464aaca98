// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import NIOCore

extension HTTPCache {
    /// The response that an answer of the machine is.
    ///
    /// - Returns: `nil` if a part of the body that comes first has left the stores.
    func response(_ answer: HTTPCacheStateMachine.Answer, to call: Call, key: HTTPCacheKey?) async -> HTTPCacheResponse? {
        if let body = bodyAtHand(answer, to: call) { return response(answer, body: body) }
        guard let stored = answer.stored else { return response(answer, body: .empty) }
        let (pieces, length) = Self.pieces(of: answer.content, in: stored.body)
        guard let content = await content(pieces, of: stored.body, key: key, refetch: refetch(stored, for: call)) else { return nil }
        let trailers = call.acceptsTrailers && answer.content == .whole && !stored.trailers.isEmpty ? stored.trailers : nil
        return response(answer, body: HTTPBody(content, length: trailers == nil ? length : nil, trailers: { trailers }))
    }

    /// The response that an answer is, if no store has to be asked for its body.
    func responseAtHand(_ answer: HTTPCacheStateMachine.Answer, to call: Call) -> HTTPCacheResponse? {
        bodyAtHand(answer, to: call).map { response(answer, body: $0) }
    }

    private func bodyAtHand(_ answer: HTTPCacheStateMachine.Answer, to call: Call) -> HTTPBody? {
        guard let stored = answer.stored else { return .empty }
        switch answer.content {
        case .none: return .empty
        case .whole:
            // Trailers follow a body whose length the head does not tell.
            if !stored.trailers.isEmpty, call.acceptsTrailers { return nil }
            return stored.body.bytesAtHand.map { HTTPBody($0) }
        case .range(let range): return stored.body.bytesAtHand(in: range).map { HTTPBody($0) }
        case .multipart: return nil
        }
    }

    private func response(_ answer: HTTPCacheStateMachine.Answer, body: HTTPBody) -> HTTPCacheResponse {
        var head = answer.head
        if body.length == nil { head.headerFields[.contentLength] = nil }
        var response = HTTPCacheResponse(head: head, body: body, isFromCache: answer.stored != nil, staleness: answer.staleness)
        response.isInForm = answer.isInForm
        return response
    }

    /// Returns the pieces of an answer's body, and its length.
    private static func pieces(of content: HTTPCacheStateMachine.Content, in body: StoredBody) -> (pieces: [StoredContent.Piece], length: Int?) {
        switch content {
        case .none: return ([], 0)
        case .whole:
            let length = body.completeLength ?? 0
            return ([.range(0..<length)], length)
        case .range(let range): return ([.range(range)], range.count)
        case .multipart(let multipart):
            var pieces: [StoredContent.Piece] = []
            for (index, range) in multipart.ranges.enumerated() {
                pieces.append(.partHeader(multipart, index))
                pieces.append(.range(range))
            }
            pieces.append(.bytes(multipart.closing))
            return (pieces, multipart.length)
        }
    }

    /// The pieces of a stored body, to be read one by one.
    ///
    /// - Parameters:
    ///   - key: The key under which the response is stored. The response is removed if a segment turns out to be
    ///     missing later on.
    ///   - refetch: Gets the missing content then.
    /// - Returns: `nil` if the first segment that is needed is missing. Then the origin is asked, and its answer takes the place of the response.
    func content(
        _ pieces: [StoredContent.Piece],
        of body: StoredBody,
        key: HTTPCacheKey?,
        refetch: StoredContent.Refetch? = nil
    ) async -> StoredContent? {
        let lease = segments.lease(body.references)
        let (firstSegment, isMissing) = await StoredContent.firstSegment(of: pieces, in: body, segments)
        if isMissing { return nil }
        let remove: @Sendable () -> Void = { [self] in removeIncomplete(body, key: key) }
        return StoredContent(
            body: body.unpacked,
            segments: segments,
            pieces: pieces,
            lease: lease,
            firstSegment: firstSegment,
            onMissingSegment: remove,
            refetch: refetch
        )
    }

    /// Removes a response of whose body a segment is missing, in the background, if it is still there.
    private func removeIncomplete(_ body: StoredBody, key: HTTPCacheKey?) {
        guard let key else { return }
        work.start { [self] in
            guard case .response(let current)? = await entries.lookup(forKey: key)?.value, current.body == body else { return }
            await entries.removeValue(forKey: key)
            for reference in body.references { segments.remove(reference) }
        }
    }

    /// The response for a follower of an exchange whose body is arriving.
    func response(_ answer: HTTPCacheStateMachine.Answer, reading reader: SharedBodyReader, length: Int?) -> HTTPCacheResponse? {
        switch answer.content {
        case .none: response(answer, body: .empty)
        case .whole: response(answer, body: reader.makeBody(length: length))
        // A request for ranges does not wait for another one.
        case .range, .multipart: nil
        }
    }
}
