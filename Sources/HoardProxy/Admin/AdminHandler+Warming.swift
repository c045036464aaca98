// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardNIO
internal import NIOCore

/// Asking for URLs before clients do. `POST` begins a warm-up, and `DELETE` ends it; both take the token. `GET` says how far the last one has come.
extension AdminHandler {
    /// URLs that are named one by one are as many as fit into this. For more there are sitemaps.
    private static let maximumWarmUpByteCount = 4 << 20

    private struct Content: Decodable {
        var urls: [String]?
        var sitemaps: [String]?
        var concurrency: Int?
        var rate: Double?
        var fields: [String: String]?
    }

    func warm(_ request: HTTPServerRequest) async throws(AdminRefusal) -> HTTPServerResponse {
        guard let warming = services.warming else { throw AdminRefusal(.notFound, "The cache cannot be warmed here.") }
        switch request.head.method {
        case .post:
            let wanted = try Self.warmUp(await content(of: request, upTo: Self.maximumWarmUpByteCount))
            switch warming.start(wanted) {
            case .begun: return Self.answer(warming.progress, .accepted)
            case .isRunning: throw AdminRefusal(.conflict, "The cache is being warmed already. DELETE ends that.")
            case .isEnding: throw AdminRefusal(.serviceUnavailable, "The proxy is about to end.")
            }
        case .delete:
            try authorize(request.head)
            await warming.cancel()
            return Self.answer(warming.progress)
        default:
            return Self.answer(warming.progress)
        }
    }

    private static func answer(_ progress: ProxyWarming.Progress?, _ status: HTTPResponse.Status = .ok) -> HTTPServerResponse {
        guard let progress else { return .admin(status, json: ["isRunning": false]) }
        return .admin(status, json: progress)
    }

    private static func warmUp(_ bytes: ByteBuffer) throws(AdminRefusal) -> ProxyWarming.Request {
        let names = ["urls", "sitemaps", "concurrency", "rate", "fields"]
        let content: Content = try AdminJSON.object(
            bytes,
            "member",
            names,
            like: #"{"urls": ["/a"], "sitemaps": ["/sitemap.xml"], "concurrency": 8}"#
        )
        var request = ProxyWarming.Request(urls: content.urls ?? [], sitemaps: content.sitemaps ?? [])
        if request.urls.isEmpty, request.sitemaps.isEmpty {
            throw AdminRefusal(.badRequest, "There is nothing to ask for: give urls or sitemaps.")
        }
        if let concurrency = content.concurrency {
            guard (1...1_000).contains(concurrency) else { throw AdminRefusal(.badRequest, "The concurrency must be a number from 1 to 1000.") }
            request.concurrency = concurrency
        }
        if let rate = content.rate {
            guard Warming.rates.contains(rate) else { throw AdminRefusal(.badRequest, "The rate must be a number from 0.001 to 1000000.") }
            request.rate = rate
        }
        for (text, value) in (content.fields ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let name = HTTPField.Name(text), HTTPField.isValidValue(value) else {
                throw AdminRefusal(.badRequest, "There can be no field \(AdminQuery.quoted(text)) with this value.")
            }
            if let objection = CachingProxy.Configuration.Route.objection(toRequestField: name) { throw AdminRefusal(.badRequest, objection) }
            guard request.fields[name] == nil else { throw AdminRefusal(.badRequest, "The field \(AdminQuery.quoted(text)) is there twice.") }
            request.fields[name] = value
        }
        return request
    }
}
