// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardNIO
import HoardTesting
import Logging
import NIOCore
import Synchronization

@testable import HoardProxy

/// A handler of the admin server, called without a socket, over a cache in front of an origin that answers everything.
struct AdminHarness: Sendable {
    let time = ManualTicker(date: Date(timeIntervalSince1970: 1_800_000_000))
    let transport: FakeTransport
    let cache: HTTPCache
    let store: MemoryStore
    let readiness: Shared<AdminServices.Readiness>
    let snapshots = Shared(0)
    let handler: AdminHandler

    /// - Parameters:
    ///   - hostNames: `nil`: any.
    ///   - warming: Warms the cache.
    init(token: String? = "secret", hostNames: [String]? = ["127.0.0.1"], warming: ((HTTPCache, ManualTicker) throws -> ProxyWarming)? = nil) rethrows
    {
        let time = time
        let store = MemoryStore(clock: time)
        var configuration = HTTPCache.Configuration()
        configuration.mode = .shared
        let cache = HTTPCache(configuration: configuration, stores: [store], clock: time, ticker: time)
        let tags = HTTPField.Name("Cache-Tag")
        transport = FakeTransport { request in
            var fields: HTTPFields = [.cacheControl: "max-age=600"]
            if let tags, request.head.path?.contains("tag") == true { fields[tags] = "news" }
            return .text(request.head.path ?? "", fields: fields)
        }
        let readiness = Shared(AdminServices.Readiness.ready)
        let statistics = ProxyStatistics(.init(version: "1.2.3", cacheByteCount: 1 << 20), ticker: time, wallClock: time)
        let snapshots = snapshots
        self.store = store
        self.cache = cache
        self.readiness = readiness
        var services = AdminServices(
            cache: cache,
            resolve: { text, extent in
                // Several routes have the paths below /on, and two with different policies have /two; for paths below /hosts the host decides.
                if text.hasPrefix("/hosts") { return .hostIsMissing }
                if text == "/two" {
                    var policy = HTTPCachePolicy()
                    policy.tags = ["two"]
                    return .targets([.init(uri: "http://origin.example/a"), .init(uri: "http://origin.example/a", policy: policy)])
                }
                let paths = text == "/on" && extent == .prefix ? ["/x/", "/tag"] : [text]
                let uris = paths.compactMap { TargetURI.normalized($0.hasPrefix("/") ? "http://origin.example" + $0 : $0) }
                return uris.isEmpty ? .unknown : .targets(uris.map { AdminServices.Target(uri: $0) })
            },
            statistics: {
                snapshots.update { $0 += 1 }
                let figures = await cache.figures()
                return statistics.snapshot(.init(memory: figures.memory, disk: figures.disk, evictions: figures.evictions))
            },
            readiness: { readiness.value },
            page: { HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody($0 ? "page with buttons" : "page")) }
        )
        let resizing = ProxyResizing(cache: cache, statistics: statistics, state: nil)
        services.resize = { memory, disk throws(ProxyError) in try await resizing.resize(memoryBytes: memory, diskBytes: disk) }
        services.warming = try warming?(cache, time)
        handler = AdminHandler(
            services: services,
            token: token.flatMap { AdminToken($0) },
            host: AdminHost(names: hostNames),
            logger: Logger(label: "test"),
            ticker: time
        )
    }

    struct Reply: Sendable {
        let head: HTTPResponse
        let text: String

        var code: Int { head.status.code }

        /// The content as an object of JSON.
        var json: [String: any Sendable] {
            get throws { try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: any Sendable] ?? [:] }
        }

        /// The sentence of a refusal.
        var error: String? { try? json["error"] as? String }
    }

    func open(
        _ method: HTTPRequest.Method = .get,
        _ path: String,
        _ fields: HTTPFields = [:],
        host: String? = "127.0.0.1:9901",
        body: String = ""
    ) async -> HTTPServerResponse {
        let head = HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: fields)
        return await handler.respond(to: HTTPServerRequest(head: head, body: HTTPBody(body), remoteAddress: "127.0.0.1"))
    }

    func send(
        _ method: HTTPRequest.Method = .get,
        _ path: String,
        _ fields: HTTPFields = [:],
        host: String? = "127.0.0.1:9901",
        body: String = ""
    ) async throws -> Reply {
        let response = await open(method, path, fields, host: host, body: body)
        return Reply(head: response.head, text: String(buffer: try await response.body.collect(upTo: 1 << 24)))
    }

    func purge(_ body: String, _ fields: HTTPFields = [.authorization: "Bearer secret", .contentType: "application/json"]) async throws -> Reply {
        try await send(.post, "/api/purge", fields, body: body)
    }

    /// Has the cache ask for a path, and keep the response.
    func fill(_ paths: String...) async throws {
        for path in paths {
            let request = HTTPRequest(method: .get, scheme: "http", authority: "origin.example", path: path)
            for try await _ in try await cache.respond(to: request, through: transport).body {}
        }
        await cache.flush()
    }

    func isCached(_ path: String) async throws -> Bool {
        let request = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "origin.example",
            path: path,
            headerFields: [.cacheControl: "only-if-cached"]
        )
        return try await cache.respond(to: request, through: transport).isFromCache
    }
}
