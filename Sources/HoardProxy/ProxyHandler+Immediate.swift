// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO
internal import NIOCore

/// Answers requests to the proxy that nobody else has to be asked for, and begins the others.
struct ImmediateProxyResponder: ImmediateResponder {
    private let handler: ProxyHandler
    /// What stands between the number of `Age` and that of `ttl`.
    private let beforeTimeToLive: [UInt8]
    /// What follows the number of `ttl`.
    private let afterTimeToLive: [UInt8]
    private let relayWriter: RelayWriter

    /// Content up to this length is copied behind its head: that takes less time than having the kernel gather it.
    private static let maximumCopiedByteCount = 16 << 10

    init(_ handler: ProxyHandler) {
        self.handler = handler
        relayWriter = RelayWriter(handler)
        beforeTimeToLive = Array("\r\nCache-Status: \(handler.cache.freshHitStatusPrefix)".utf8)
        afterTimeToLive = Array("\r\nVia: 1.1 \(handler.name)\r\n".utf8)
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
            route.policy == nil, route.origin.basePath.isEmpty, !routes.trustedProxies.trusts(client.info.remoteAddress)
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
            return handler.cache.freshHit(targetURI: UnsafeRawBufferPointer(uri), isHead: request.isHead, now: handler.cache.now)
        }
        guard let hit else { return nil }
        let length = hit.contentByteCount
        write(hit, to: &output, for: request, route.rules?.immediate)
        var note = ExchangeNote(AnswerReport(.hit, tier: .memory))
        if let site = route.site { note.site = site.number }
        note.attachment = routes.tracing?.beginIfSampled(request)
        return ImmediateAnswer(status: hit.status, contentByteCount: request.isHead ? 0 : length, note: note)
    }

    private static func route(of request: ScannedRequest, _ routes: RouteTable) -> ProxyRoute? {
        if let route = routes.onlyRoute { return route }
        let authority = String(decoding: request.host, as: UTF8.self)
        guard case .route(let route) = routes.match(authority: authority, target: String(decoding: request.target, as: UTF8.self)) else { return nil }
        return route
    }

    private func write(_ hit: FreshHit, to output: inout ImmediateOutput, for request: ScannedRequest, _ rules: ImmediateRules?) {
        let length = hit.contentByteCount
        let isCopied = !request.isHead && length <= Self.maximumCopiedByteCount
        let added = rules?.maximumByteCount ?? 0
        let capacity = hit.head.byteCount + beforeTimeToLive.count + afterTimeToLive.count + added + (isCopied ? length : 0) + 128
        output.bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: capacity) { space in
            var writer = HeadWriter(space)
            let present = hit.head.withUnsafeBytes { head -> ImmediateRules.Present in
                if let rules { return rules.writeKept(of: head) { writer.write($0) } }
                writer.write(head)
                return 0
            }
            writer.write("Age: ")
            writer.write(hit.age)
            writer.write(beforeTimeToLive)
            writer.write(hit.timeToLive)
            writer.write(afterTimeToLive)
            rules?.writeAdded(present, isSecure: request.isSecure) { writer.write($0) }
            if hit.head.contentLength == nil {
                writer.write("Content-Length: ")
                writer.write(Int64(length))
                writer.write("\r\n")
            }
            writer.write("\r\n")
            if isCopied { hit.body.withBytesAtHand { writer.write($0) } }
            return writer.count
        }
        if !request.isHead, !isCopied { output.content = hit.body.bytesAtHand }
    }
}

/// Writes into memory that is large enough.
private struct HeadWriter {
    private let space: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(_ space: UnsafeMutableRawBufferPointer) {
        self.space = space
    }

    @inline(__always)
    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: space[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    @inline(__always)
    mutating func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { write($0) }
    }

    @inline(__always)
    mutating func write(_ text: StaticString) {
        write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes a number in decimal digits.
    mutating func write(_ number: Int64) {
        var rest = number.magnitude
        var length = number < 0 ? 2 : 1
        var power = rest / 10
        while power > 0 {
            power /= 10
            length += 1
        }
        if number < 0 { space[count] = UInt8(ascii: "-") }
        count += length
        var index = count
        repeat {
            index -= 1
            space[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        } while rest > 0
    }
}
