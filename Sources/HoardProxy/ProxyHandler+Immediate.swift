// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO
internal import NIOCore

/// Answers the requests that need neither a store nor an origin, and begins the others.
struct ImmediateProxyResponder: ImmediateResponder {
    private let handler: ProxyHandler
    private let hitWriter: HitWriter
    private let relayWriter: RelayWriter

    init(_ handler: ProxyHandler) {
        self.handler = handler
        relayWriter = RelayWriter(handler)
        hitWriter = HitWriter(statusPrefix: handler.cache.freshHitStatusPrefix, statusSuffix: "", proxyName: handler.name)
    }

    func begin(_ request: HTTPServerRequest) -> ImmediateBeginning {
        switch handler.begin(request) {
        case .response(let response): .response(response)
        case .pending(let pending): .later { [handler] in await handler.respond(to: pending) }
        }
    }

    func relay(_ request: ScannedRequest, head: ByteBuffer, for client: any RelayedClient, on eventLoop: any EventLoop) -> (any Relay)? {
        let routes = handler.routes.current
        // Anything else that is to be done with a request needs its fields.
        guard routes.tracing == nil, let route = Self.route(of: request, routes), let keyPrefix = route.plainKeyPrefix, route.rules == nil,
            route.site == nil,
            route.policy == nil, handler.cache.beginsEarly, route.origin.basePath.isEmpty, !routes.trustedProxies.trusts(client.info.remoteAddress)
        else { return nil }
        let targetURI = String(unsafeUninitializedCapacity: keyPrefix.count + request.target.count) { uri in
            _ = uri.initialize(fromContentsOf: keyPrefix)
            _ = UnsafeMutableBufferPointer(rebasing: uri[keyPrefix.count...]).initialize(fromContentsOf: request.target)
            return keyPrefix.count + request.target.count
        }
        return ProxyRelay.begin(request, targetURI: targetURI, head: head, on: route, handler, relayWriter, for: client, on: eventLoop)
    }

    func answer(_ request: ScannedRequest, into output: inout ImmediateOutput) -> ImmediateAnswer? {
        let routes = handler.routes.current
        if let tracing = routes.tracing, !tracing.takesUnparsed(request) { return nil }
        guard let route = Self.route(of: request, routes), let keyPrefix = route.plainKeyPrefix else { return nil }
        let uriLength = keyPrefix.count + request.target.count
        let hit = withUnsafeTemporaryAllocation(byteCount: uriLength, alignment: 1) { uri -> FreshHit? in
            keyPrefix.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: uri[..<keyPrefix.count]).copyMemory(from: $0) }
            UnsafeMutableRawBufferPointer(rebasing: uri[keyPrefix.count...]).copyMemory(from: request.target)
            return freshHit(request, targetURI: UnsafeRawBufferPointer(uri), on: route)
        }
        guard let hit else { return nil }
        let length = hit.contentByteCount
        if !hitWriter.write(hit, to: &output.bytes, isHead: request.isHead, isSecure: request.isSecure, route.rules?.immediate) {
            output.content = hit.body.bytesAtHand
        }
        var note = ExchangeNote(AnswerReport(.hit, tier: .memory))
        if let site = route.site { note.site = site.number }
        note.attachment = routes.tracing?.beginIfSampled(request)
        return ImmediateAnswer(status: hit.status, contentByteCount: request.isHead ? 0 : length, note: note)
    }

    private func freshHit(_ request: ScannedRequest, targetURI: UnsafeRawBufferPointer, on route: ProxyRoute) -> FreshHit? {
        let cache = handler.cache
        guard case .query(let query) = request.method else {
            return cache.freshHit(
                targetURI: targetURI,
                isHead: request.isHead,
                acceptEncoding: request.acceptEncoding,
                codesContent: route.policy?.policy.codesContent ?? true,
                now: cache.now
            )
        }
        // The rest of an owner's settings may depend on the method.
        guard route.policy == nil, route.rules == nil else { return nil }
        return cache.freshQueryHit(
            targetURI: targetURI,
            contentType: query.contentType,
            content: query.content,
            acceptEncoding: request.acceptEncoding,
            now: cache.now
        )
    }

    private static func route(of request: ScannedRequest, _ routes: RouteTable) -> ProxyRoute? {
        if let route = routes.onlyRoute { return route }
        let authority = String(decoding: request.host, as: UTF8.self)
        guard case .route(let route) = routes.match(authority: authority, target: String(decoding: request.target, as: UTF8.self)) else { return nil }
        return route
    }
}
