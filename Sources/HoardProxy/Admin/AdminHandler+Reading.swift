// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The endpoints that report on the proxy and change nothing.
extension AdminHandler {
    func read(_ endpoint: Endpoint, _ query: AdminQuery, isHead: Bool) async throws(AdminRefusal) -> HTTPServerResponse {
        switch endpoint {
        case .page: return services.page(token != nil)
        case .health: return .admin(json: ["status": "ok"])
        case .readiness: return try await readiness()
        case .metrics: return .admin(contentType: PrometheusText.contentType, body: HTTPBody(PrometheusText(await services.statistics()).text))
        case .statistics: return .admin(json: await services.statistics())
        case .events: return try await stream(isHead: isHead)
        case .entries: return try await list(query)
        case .explanation: return try await explain(query)
        case .advice: return .admin(json: await ProxyAdvice(cache: services.cache, statistics: services.statistics()).document())
        case .purge, .size, .warmUp: throw AdminRefusal(.methodNotAllowed, "This takes POST only.", fields: [.allow: "POST"])
        }
    }

    private func readiness() async throws(AdminRefusal) -> HTTPServerResponse {
        switch await services.readiness() {
        case .ready: return .admin(json: ["status": "ready"])
        case .notReady(let sentence): throw AdminRefusal(.serviceUnavailable, sentence)
        }
    }

    /// [Server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html)
    private func stream(isHead: Bool) async throws(AdminRefusal) -> HTTPServerResponse {
        let contentType = "text/event-stream"
        if isHead { return .admin(contentType: contentType, body: .empty) }
        guard let subscription = await events.listen() else {
            throw AdminRefusal(
                .serviceUnavailable,
                "There are as many listeners as there may be, \(Self.maximumListenerCount), or the server is about to end.",
                fields: [.retryAfter: "5"]
            )
        }
        return .admin(contentType: contentType, body: HTTPBody(AdminEventStream(subscription: subscription), length: nil))
    }

    // MARK: Entries

    private struct EntryPage: Encodable {
        let entries: [Entry]
        let next: String?
    }

    private struct Entry: Encodable {
        let uri: String
        let variant: String?
        let status: Int
        let bytes: Int
        let storedAt: Date
        let freshUntil: Date?
        let isFresh: Bool
        let tiers: [String]
        let tags: [String]
        let groups: [String]

        init(_ entry: HTTPCache.Entry, storeName: String) {
            uri = entry.uri
            variant = entry.variant
            status = entry.status
            bytes = entry.byteCount
            storedAt = entry.storedAt
            freshUntil = entry.freshUntil
            isFresh = entry.isFresh
            tiers = (entry.isInMemory ? ["memory"] : []) + (entry.isInStore ? [storeName] : [])
            tags = entry.tags
            groups = entry.groups
        }
    }

    private func list(_ query: AdminQuery) async throws(AdminRefusal) -> HTTPServerResponse {
        var limit = 100
        if let text = query["limit"] {
            guard let number = Int(text), (1...1_000).contains(number) else {
                throw AdminRefusal(.badRequest, "The limit must be a number from 1 to 1000.")
            }
            limit = number
        }
        var cursor: HTTPCache.EntryCursor?
        if let text = query["after"] {
            guard let position = HTTPCache.EntryCursor(text) else {
                throw AdminRefusal(.badRequest, "The parameter “after” is not the “next” of an earlier answer.")
            }
            cursor = position
        }
        var prefixes: [String] = []
        if let prefix = query["prefix"] {
            // A text that is no URL may still be the beginning of one.
            prefixes = services.resolve(prefix, .prefix) == .unknown ? [prefix] : try targets(of: prefix, .prefix).map(\.uri)
        }
        var filter = HTTPCache.EntryFilter(text: query["search"] ?? "", prefix: prefixes.first ?? "", tag: query["tag"])
        filter.otherPrefixes = Array(prefixes.dropFirst())
        let page = await services.cache.entries(matching: filter, after: cursor, limit: limit)
        let storeName = services.cache.sharedTierName ?? "store"
        return .admin(json: EntryPage(entries: page.entries.map { Entry($0, storeName: storeName) }, next: page.next?.text))
    }

    // MARK: Explaining

    private struct Explanation: Encodable {
        let uri: String
        let lines: [String]
        let stored: Bool
    }

    private func explain(_ query: AdminQuery) async throws(AdminRefusal) -> HTTPServerResponse {
        guard let url = query["url"] else { throw AdminRefusal(.badRequest, "The parameter “url” is missing.") }
        guard let target = try targets(of: url, .url).first else { throw Self.unknown(url) }
        let explanation = await services.cache.explain(target.uri, policy: target.policy)
        let lines = explanation.description.split(separator: "\n").map(String.init)
        let all = services.explainRules(url) + lines.dropFirst()
        return .admin(json: Explanation(uri: explanation.uri, lines: all, stored: explanation.stored != nil))
    }

    /// Returns the targets that a URL or the beginning of URLs stands for. There is at least one.
    func targets(of text: String, _ extent: AdminServices.Extent) throws(AdminRefusal) -> [AdminServices.Target] {
        switch services.resolve(text, extent) {
        case .targets(let targets): return targets
        case .hostIsMissing:
            throw AdminRefusal(.badRequest, "What is stored for \(AdminQuery.quoted(text)) depends on the host; give the URL with its host.")
        case .unknown: throw Self.unknown(text)
        }
    }

    static func unknown(_ url: String) -> AdminRefusal {
        AdminRefusal(.badRequest, "The proxy serves no URL like \(AdminQuery.quoted(url)); write a path, or a whole URL with http:// or https://.")
    }
}
