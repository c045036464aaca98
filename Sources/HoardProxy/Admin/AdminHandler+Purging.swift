// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO
internal import Logging
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The endpoints that change the cache. They require the token.
extension AdminHandler {
    private struct Answer: Encodable {
        /// The number of responses that were removed, or marked stale; `nil` if the number is not known.
        let removed: Int?
    }

    func purge(_ request: HTTPServerRequest) async throws(AdminRefusal) -> HTTPServerResponse {
        let change = try PurgeRequest(await content(of: request))
        let removed = try await make(change)
        logger.notice(
            "The cache was purged on demand.",
            metadata: [
                "extent": "\(change.extent.name)", "kind": change.isStale ? "stale" : "removed", "count": "\(removed.map(String.init) ?? "unknown")",
            ]
        )
        return .admin(json: Answer(removed: removed))
    }

    /// The content of a request that changes something, once its token has been looked at.
    ///
    /// - Parameter maximumByteCount: The longest that is read.
    func content(
        of request: HTTPServerRequest,
        upTo maximumByteCount: Int = maximumContentByteCount
    ) async throws(AdminRefusal) -> ByteBuffer {
        try authorize(request.head)
        let type = request.head.headerFields[.contentType].map { $0.prefix { $0 != ";" && $0 != " " }.lowercased() }
        guard type == "application/json" else {
            throw AdminRefusal(.unsupportedMediaType, "The content must be JSON, with the content type application/json.")
        }
        do {
            return try await request.body.collect(upTo: maximumByteCount)
        } catch is HTTPBodyTooLargeError {
            throw AdminRefusal(.contentTooLarge, "The content is longer than \(maximumByteCount) bytes.")
        } catch {
            throw AdminRefusal(.badRequest, "The content did not arrive as a whole.")
        }
    }

    func authorize(_ request: HTTPRequest) throws(AdminRefusal) {
        guard let token else {
            throw AdminRefusal(.forbidden, "Nothing can be changed here: the proxy was started without a token for its admin server.")
        }
        switch token.judge(request.headerFields) {
        case .granted: return
        case .absent:
            throw AdminRefusal(.unauthorized, "This takes the token, as “Authorization: Bearer” and the token.", fields: [.wwwAuthenticate: "Bearer"])
        case .wrong:
            logger.notice("A request to change the cache had a wrong token.")
            throw AdminRefusal(.unauthorized, "The token is wrong.", fields: [.wwwAuthenticate: #"Bearer error="invalid_token""#])
        }
    }

    private func make(_ change: PurgeRequest) async throws(AdminRefusal) -> Int? {
        let cache = services.cache
        switch change.extent {
        case .url(let url):
            var (sum, done) = (0, Set<String>())
            // Routes with different policies may have one URI, whose responses count once.
            for target in try targets(of: url, .url) where done.insert(target.uri).inserted {
                let count = await cache.storedResponseCount(target.uri, policy: target.policy)
                let isDone =
                    change.isStale
                    ? await cache.markStale(target.uri, policy: target.policy) : await cache.remove(target.uri, policy: target.policy)
                guard isDone, let count else { throw Self.unknown(url) }
                sum += count
            }
            return sum
        case .prefix(let prefix):
            var sum = 0
            for target in try targets(of: prefix, .prefix) {
                let count = change.isStale ? await cache.markStale(prefix: target.uri) : await cache.remove(prefix: target.uri)
                guard let count else { throw Self.unknown(prefix) }
                sum += count
            }
            return sum
        case .tag(let tag):
            if change.isStale { await cache.markStale(taggedWith: tag) } else { await cache.remove(taggedWith: tag) }
            return nil
        case .all:
            if change.isStale { await cache.markAllStale() } else { await cache.removeAll() }
            return nil
        }
    }
}

/// The change that a request to purge asks for.
struct PurgeRequest: Hashable, Sendable {
    enum Extent: Hashable, Sendable {
        case url(String)
        case prefix(String)
        case tag(String)
        case all

        /// For logs.
        var name: String {
            switch self {
            case .url: "url"
            case .prefix: "prefix"
            case .tag: "tag"
            case .all: "all"
            }
        }
    }

    let extent: Extent
    /// Whether responses are marked stale instead of removed.
    let isStale: Bool

    private struct Content: Decodable {
        var texts: [String: String] = [:]
        var flags: [String: Bool] = [:]
        var unknown: String?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AnyName.self)
            for key in container.allKeys {
                switch key.stringValue {
                case "url", "prefix", "tag": texts[key.stringValue] = try container.decode(String.self, forKey: key)
                case "all", "stale": flags[key.stringValue] = try container.decode(Bool.self, forKey: key)
                default: unknown = min(unknown ?? key.stringValue, key.stringValue)
                }
            }
        }
    }

    /// - Throws: ``AdminRefusal`` with a sentence that names the fault of the content.
    init(_ bytes: ByteBuffer) throws(AdminRefusal) {
        let content: Content
        do {
            content = try JSONDecoder().decode(Content.self, from: Data(bytes.readableBytesView))
        } catch {
            throw AdminRefusal(
                .badRequest,
                #"The content must be a JSON object like {"url": "/a"}, {"prefix": "/images/"}, {"tag": "news"} or {"all": true}."#
            )
        }
        if let unknown = content.unknown {
            throw AdminRefusal(.badRequest, "There is no member \(AdminQuery.quoted(unknown)); there are url, prefix, tag, all and stale.")
        }
        var extents: [Extent] = []
        if let url = content.texts["url"] { extents.append(.url(url)) }
        if let prefix = content.texts["prefix"] { extents.append(.prefix(prefix)) }
        if let tag = content.texts["tag"] { extents.append(.tag(tag)) }
        if content.flags["all"] == true { extents.append(.all) }
        guard let extent = extents.first, extents.count == 1 else {
            throw AdminRefusal(.badRequest, "The content must have exactly one of url, prefix, tag and all.")
        }
        if content.texts.values.contains("") {
            throw AdminRefusal(.badRequest, "What is to be purged must not be empty; to purge everything say so with all.")
        }
        self.extent = extent
        isStale = content.flags["stale"] ?? false
    }
}
