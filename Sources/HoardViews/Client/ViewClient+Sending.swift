// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardHTTP
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A response with all of its content.
struct ViewReply: Sendable {
    let head: HTTPResponse
    let content: Data
    let isFromCache: Bool
    /// Whether the server has confirmed the caching client's response.
    let isConfirmed: Bool
    let isRedirected: Bool
    let staleness: HTTPCacheResponse.Staleness?
    let requestTime: Date
    let responseTime: Date

    var isSuccess: Bool { head.isSuccess }

    /// The longest time for which the screen may be kept: [RFC 9111 §4.2.1](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.1).
    var terms: KeepingTerms { KeepingTerms(self) }
}

extension HTTPResponse {
    /// Whether it has the whole content, and not a part, which no request here asks for.
    fileprivate var isSuccess: Bool { status.kind == .successful && status != .partialContent }
}

/// The terms on which a response may be kept.
struct KeepingTerms: Sendable {
    /// Whether it may be kept at all.
    let mayBeKept: Bool
    /// For how many seconds it is valid; `nil` if it does not say.
    let maxAge: Int?
    /// Whether it must not be shown once it is not valid any more.
    let mustRevalidate: Bool
    /// Whether it says anything about the above.
    let isExplicit: Bool
    /// When the server made or confirmed it.
    let created: Date

    private static let rules = HTTPCacheRules(mode: .private)

    fileprivate init(_ reply: ViewReply) {
        let freshness = ResponseFreshness(of: reply.head, requestTime: reply.requestTime, responseTime: reply.responseTime, rules: Self.rules)
        let directives = freshness.cacheControl
        mayBeKept = !directives.noStore && Vary(reply.head.headerFields) != .any
        let explicit = freshness.lifetime.isExplicit ? Int(clamping: freshness.lifetime.seconds) : nil
        maxAge = directives.noCache == nil ? explicit : 0
        mustRevalidate = freshness.staleProhibition != nil || directives.noCache != nil
        isExplicit = reply.head.headerFields.contains(.cacheControl) || reply.head.headerFields.contains(.expires)
        created = reply.responseTime.addingTimeInterval(-freshness.age.seconds(at: reply.responseTime))
    }
}

extension ViewClient {
    /// Sends a request through the caching client, and reads the whole response.
    ///
    /// - Parameters:
    ///   - hash: The hash that the server compares; `nil` for none.
    ///   - excess: Called with the number of bytes of content: the limit if there are too many.
    func send(
        _ plan: ViewPlan,
        mode: RequestCacheMode,
        knowing hash: String?,
        excess: (Int) -> Int?
    ) async throws(ViewError) -> ViewReply {
        guard let client = dependencies.client else {
            throw ViewError(.networkClientNotConfigured, "The screen has to be asked for, and the view client has no caching client.")
        }
        var head = plan.head
        if let hash, let hashField { head.headerFields[hashField] = hash }
        let options = requestOptions(plan, mode)
        count { $0.requests += 1 }
        let requestTime = clock.now()
        let response: ClientResponse
        do {
            response = try await client.send(head, body: plan.content, options: options)
        } catch {
            // The server may have made the change, though its response did not arrive, or a redirect that it answered with leads nowhere.
            if error.isBehindRedirect || ![.unreachable, .invalidURL, .tlsFailed].contains(error.code) { await removeAnswersAfterChange(plan) }
            throw ViewError(error)
        }
        // A redirect that was followed was no error, whatever has come of it.
        if [.successful, .redirection].contains(response.head.status.kind) || response.redirectCount > 0 { await removeAnswersAfterChange(plan) }
        let responseTime = clock.now()
        var content = Data()
        if response.head.status.kind == .successful {
            do throws(ViewError) {
                content = try await Self.collect(response.body, excess)
            } catch {
                // A store has lost part of it, and knows that now. The server has it all.
                guard response.isFromCache, mode != .onlyIfCached, error.isBrokenOff else { throw error }
                return try await send(plan, mode: .reload, knowing: hash, excess: excess)
            }
        }
        return ViewReply(
            head: response.head,
            content: content,
            isFromCache: response.isFromCache,
            isConfirmed: response.isFromCache && response.cacheStatus.contains("; fwd-status=304"),
            isRedirected: response.redirectCount > 0,
            staleness: response.staleness,
            requestTime: requestTime,
            responseTime: responseTime
        )
    }

    private func requestOptions(_ plan: ViewPlan, _ mode: RequestCacheMode) -> RequestOptions {
        var options = RequestOptions(cacheMode: mode, timeout: configuration.timeout)
        options.partition = dependencies.client.flatMap { plan.key.partition(in: $0.cache) }
        options.keepsInMemoryOnly = plan.key.isSensitive
        return options
    }

    /// A decoded screen, if the caching client has the response that it was decoded from in memory, and that is fresh. Never suspends.
    ///
    /// - Returns: `nil` also for a response with a hash, which the cache manager is to keep.
    func viewInMemoryOfHTTP(_ screen: DecodedScreen, _ plan: ViewPlan) -> FetchedView? {
        let options = requestOptions(plan, .default)
        let response = dependencies.client?.responseFromMemory(to: plan.head, target: plan.target, options: options) { head, bytes in
            guard head.isSuccess, hash(in: head) == nil, bytes.readableBytes == screen.content.count else { return false }
            return bytes.readableBytesView.elementsEqual(screen.content)
        }
        guard let response else { return nil }
        count { $0.requests += 1 }
        let now = clock.now()
        return FetchedView(
            component: screen.component,
            source: .memory,
            staleness: nil,
            hash: nil,
            url: plan.url,
            created: now.addingTimeInterval(-ResponseAge(of: response.head, requestTime: now, responseTime: now).initialSeconds),
            now: now,
            content: screen.content
        )
    }

    private static func collect(_ body: HTTPBody, _ excess: (Int) -> Int?) async throws(ViewError) -> Data {
        var content = Data()
        if let length = body.length {
            if let limit = excess(length) { throw .tooLarge(limit) }
            content.reserveCapacity(min(length, 1 << 20))
        }
        do {
            for try await part in body {
                if let limit = excess(content.count + part.readableBytes) { throw ViewError.tooLarge(limit) }
                content.append(contentsOf: part.readableBytesView)
            }
        } catch {
            throw ViewError(body: error)
        }
        // Some streams end early instead of throwing when their reader is cancelled.
        if Task.isCancelled { throw .cancelled }
        return content
    }

    /// The server's name for the state that it sent.
    func hash(of reply: ViewReply) -> String? { hash(in: reply.head) }

    private func hash(in head: HTTPResponse) -> String? {
        guard let hashField else { return nil }
        let values = Set(head.headerFields[values: hashField])
        guard values.count == 1, let hash = values.first, !hash.isEmpty else { return nil }
        return hash
    }
}
