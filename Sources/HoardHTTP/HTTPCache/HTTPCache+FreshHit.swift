// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A response from memory, fresh or just confirmed, in the form in which a server can send it almost as it is.
package struct FreshHit: Sendable {
    /// The status line and the fields, but for `Age` and `Cache-Status`.
    package let head: WireHead
    /// The whole content, at hand.
    package let body: StoredBody
    package let contentByteCount: Int
    package let status: Int
    /// The value of `Age`: [RFC 9111 §5.1](https://www.rfc-editor.org/rfc/rfc9111#section-5.1).
    package let age: Int64
    /// `ttl` in `Cache-Status`: [RFC 9211 §2.4](https://www.rfc-editor.org/rfc/rfc9211#section-2.4).
    package let timeToLive: Int64
}

extension HTTPCache {
    /// The fresh response that answers a plain request for a URI, if memory has it. Never suspends, and makes no strings.
    ///
    /// A plain request is GET or HEAD in a shared cache, without content, and without any field on which its answer could depend. It has no `Range`
    /// or conditions, no `Cache-Control` or `Pragma`, no `Authorization`, no `TE` and no `Connection`. It may have one line of `Accept-Encoding`. The
    /// answer is the one that ``responseFromMemory(to:ifAccepted:)`` gives.
    ///
    /// - Parameters:
    ///   - targetURI: The normalised URI, as keys have it.
    ///   - isHead: Whether the request is HEAD. Its answer has a length only if the stored head has one.
    ///   - acceptEncoding: The value of that line; `nil` if there is none.
    ///   - codesContent: Whether the policy lets content be coded.
    ///   - now: The time of the request, by the cache's clock.
    /// - Returns: `nil` if that has to be asked, or the server's handler.
    /// - Complexity: O(*n*) in the bytes of the URI.
    package func freshHit(
        targetURI: UnsafeRawBufferPointer,
        isHead: Bool = false,
        acceptEncoding: UnsafeRawBufferPointer? = nil,
        codesContent: Bool = true,
        now: Date
    ) -> FreshHit? {
        let scope = space.baseScope
        let hit = entries.withFreshMemoryValue(
            hashValue: HTTPCacheKey.hashValue(scope: scope, targetURI: targetURI),
            where: { $0.isKey(scope: scope, targetURI: targetURI) },
            { freshHit($0, isHead: isHead, acceptEncoding, codesContent: codesContent, now) }
        )
        if hit != nil {
            freshHits.wrappingAdd(1, ordering: .relaxed)
            if isRecording.load(ordering: .relaxed) { recordHit(targetURI: targetURI) }
        }
        return hit
    }

    /// The same for a plain QUERY, whose key its content decides: [RFC 10008 §2.7](https://www.rfc-editor.org/rfc/rfc10008#section-2.7). Never suspends.
    ///
    /// Plain as for GET, and without fields that say how to read the content, but for its type.
    ///
    /// - Complexity: O(*n*) in the bytes of the URI and of the content.
    package func freshQueryHit(
        targetURI: UnsafeRawBufferPointer,
        contentType: UnsafeRawBufferPointer,
        content: UnsafeRawBufferPointer,
        acceptEncoding: UnsafeRawBufferPointer?,
        now: Date
    ) -> FreshHit? {
        guard mayHaveQueries.load(ordering: .acquiring), content.count <= configuration.maximumQueryBytes, !isRecording.load(ordering: .relaxed)
        else { return nil }
        let base = HTTPCacheKey(scope: space.baseScope, targetURI: String(decoding: targetURI, as: UTF8.self))
        let key = base.queryKey(QueryContent(type: contentType, content))
        let hit = entries.withFreshMemoryValue(hashValue: key.hashValue, where: { $0 == key }) {
            freshHit($0, isHead: false, acceptEncoding, codesContent: true, now)
        }
        if hit != nil { freshHits.wrappingAdd(1, ordering: .relaxed) }
        return hit
    }

    @inline(__always)
    private func freshHit(
        _ entry: HTTPCacheEntry,
        isHead: Bool,
        _ acceptEncoding: UnsafeRawBufferPointer?,
        codesContent: Bool,
        _ now: Date
    ) -> FreshHit? {
        guard case .response(let response) = entry else { return nil }
        guard response.isCodable, let codings = rules.codings else { return response.freshHit(isHead: isHead, at: now) }
        let selection = CodingSelection(codings, encodes: codesContent, acceptEncoding: acceptEncoding)
        guard case .form(let form) = response.served(to: selection) else { return nil }
        return form.freshHit(isHead: isHead, at: now)
    }

    /// The time by the cache's clock.
    package var now: Date { clock.now() }

    /// The value of `Cache-Status` for a fresh hit, up to the number behind `ttl=`.
    package var freshHitStatusPrefix: String {
        String(CacheStatus(cacheName: configuration.name, .hit, timeToLive: 0).fieldValue.dropLast())
    }
}

extension StoredResponse {
    /// The answer to a plain request, if the response is fresh, and all of it at hand.
    @inline(__always)
    func freshHit(isHead: Bool, at now: Date) -> FreshHit? {
        guard let hit = hit(at: now), hit.head.contentLength != nil || !isHead else { return nil }
        return freshness.cacheControl.noCache != .wholeResponse && freshness.timeToLive(at: now) > 0 ? hit : nil
    }

    /// The answer to a plain request with GET that may be given it, if all of it is at hand.
    @inline(__always)
    func hit(at now: Date) -> FreshHit? {
        let body = body
        guard let head = wireHead, let count = body.lengthAtHand, head.contentLength ?? count == count else { return nil }
        let age = freshness.age.wholeSeconds(at: now)
        return FreshHit(
            head: head,
            body: body,
            contentByteCount: count,
            status: statusCode,
            age: age,
            timeToLive: freshness.lifetime.seconds - age
        )
    }

    /// The lines that ask the origin about the response, if a plain request with GET may not be answered with it before that, and if nothing is to be known of it but
    /// its bytes.
    func plainConditions(at now: Date) -> [UInt8]? {
        guard let wire = wireHead, wire.isSentWhole, vary == .fields([]), noVarySearch == nil, trailers.isEmpty, let count = body.lengthAtHand,
            wire.contentLength == count
        else { return nil }
        let decision = ReuseDecision(request: CacheControl(), stored: freshness, now: now)
        guard case .mustRevalidate = decision.verdict else { return nil }
        if case .permitted = StaleServing.beforeAsking(decision) { return nil }
        return wire.withLines { PlainValidators($0)?.conditions }
    }
}
