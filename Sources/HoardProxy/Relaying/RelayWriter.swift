// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO
internal import NIOCore

/// Writes the proxy's additions to messages that go on by their bytes.
struct RelayWriter: Sendable {
    private let name: String
    private let via: String
    /// The text of `Cache-Status` before the status of a response that is passed on, and behind it, by why it is not stored.
    private let endings: [Storability.Reason: Ending]
    private let endingOfStored: Ending
    /// The same where memory had a stale response.
    private let endingOfRefreshed: Ending
    /// Writes stored responses that the origin has confirmed.
    let confirmed: HitWriter

    private struct Ending: Sendable {
        let prefix: String
        let suffix: String

        init(_ reason: Storability.Reason?, _ handler: ProxyHandler, _ via: String, isOfStale: Bool = false) {
            let (prefix, suffix) = handler.cache.passedOnStatus(because: reason, isOfStale: isOfStale)
            (self.prefix, self.suffix) = ("Cache-Status: \(prefix)", "\(suffix)\r\n\(via)")
        }
    }

    init(_ handler: ProxyHandler) {
        name = handler.name
        via = "Via: 1.1 \(handler.name)\r\n"
        let reasons: [Storability.Reason] = [.noStore, .private]
        endings = Dictionary(uniqueKeysWithValues: reasons.map { [via] in ($0, Ending($0, handler, via)) })
        endingOfStored = Ending(nil, handler, via)
        endingOfRefreshed = Ending(nil, handler, via, isOfStale: true)
        let (beforeStatus, behindTimeToLive) = handler.cache.passedOnStatus(because: nil, isOfStale: true)
        confirmed = HitWriter(statusPrefix: "\(beforeStatus)304; ttl=", statusSuffix: behindTimeToLive, proxyName: handler.name)
    }

    /// A client's request as an origin gets it, but for the end, which ``writeEnd(ofRequest:asking:)`` writes.
    ///
    /// - Returns: `nil` if that takes more than to copy its fields.
    func request(
        _ request: ScannedRequest,
        _ head: ByteBuffer,
        to origin: Origin,
        of upstream: CachingProxy.Configuration.Upstream,
        from client: any RelayedClient
    ) -> ByteBuffer? {
        var output = ByteBuffer()
        output.reserveCapacity(head.readableBytes + 384)
        output.writeStaticString("GET ")
        output.writeBytes(request.target)
        output.writeStaticString(" HTTP/1.1\r\nHost: ")
        output.writeString(origin.authority)
        output.writeStaticString("\r\n")
        guard head.withUnsafeReadableBytes({ RelayedHeads.copyFields(ofRequest: $0, to: &output) }) else { return nil }
        if upstream.tellsOfClient {
            output.writeBytes(lines(of: client))
        } else {
            output.writeString(via)
        }
        return output
    }

    /// Writes the last fields of a request's head.
    func writeEnd(ofRequest output: inout ByteBuffer, asking miss: HTTPCache.EarlyMiss) {
        // A plain request has no conditions of its own.
        output.writeBytes(miss.conditions)
        output.writeStaticString("\r\n")
    }

    /// Writes the last fields of a response's head.
    func writeEnd(ofResponse output: inout ByteBuffer, status: Int, because reason: Storability.Reason, announcesClose: Bool) {
        guard let ending = endings[reason] else { preconditionFailure("no text for \(reason)") }
        write(ending, to: &output, status: status, timeToLive: nil, announcesClose: announcesClose)
    }

    /// The same for a response that is stored.
    func writeEnd(ofStoredResponse output: inout ByteBuffer, status: Int, after miss: HTTPCache.EarlyMiss, timeToLive: Double, announcesClose: Bool) {
        write(
            miss.isOfStale ? endingOfRefreshed : endingOfStored,
            to: &output,
            status: status,
            timeToLive: timeToLive,
            announcesClose: announcesClose
        )
    }

    private func write(_ ending: Ending, to output: inout ByteBuffer, status: Int, timeToLive: Double?, announcesClose: Bool) {
        output.writeString(ending.prefix)
        output.writeString(String(status))
        if let timeToLive {
            output.writeStaticString("; ttl=")
            output.writeString(String(Int64(timeToLive)))
        }
        output.writeString(ending.suffix)
        output.writeStaticString(announcesClose ? "Connection: close\r\n\r\n" : "\r\n")
    }

    /// The fields that tell origins of a client and of this proxy. Made once for each connection.
    private func lines(of client: any RelayedClient) -> [UInt8] {
        if let kept = client.attachment as? ClientLines { return kept.bytes }
        let info = client.info
        let forwarded = ForwardedClient(address: info.remoteAddress, scheme: info.scheme, host: nil, certificate: info.clientCertificate)
        var request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)
        ForwardedClient.replaceFields(of: &request, with: forwarded)
        request.headerFields.append(HTTPField(name: .via, value: "1.1 \(name)"))
        forwarded.addFields(to: &request)
        let lines = ClientLines(Array(request.headerFields.map { "\($0.name.rawName): \($0.value)\r\n" }.joined().utf8))
        client.attachment = lines
        return lines.bytes
    }
}

private final class ClientLines {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}
