// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO
internal import NIOCore

/// Writes what the proxy adds to messages that go on by their bytes.
struct RelayWriter: Sendable {
    private let name: String
    private let via: String
    /// The text of `Cache-Status` before the status of a response that is passed on, and behind it, by why it is not stored.
    private let endings: [Storability.Reason: Ending]
    private let endingOfStored: Ending

    private struct Ending: Sendable {
        let prefix: String
        let suffix: String

        init(_ reason: Storability.Reason?, _ handler: ProxyHandler, _ via: String) {
            let (prefix, suffix) = handler.cache.passedOnStatus(because: reason)
            (self.prefix, self.suffix) = ("Cache-Status: \(prefix)", "\(suffix)\r\n\(via)")
        }
    }

    init(_ handler: ProxyHandler) {
        name = handler.name
        via = "Via: 1.1 \(handler.name)\r\n"
        let reasons: [Storability.Reason] = [.noStore, .private]
        endings = Dictionary(uniqueKeysWithValues: reasons.map { [via] in ($0, Ending($0, handler, via)) })
        endingOfStored = Ending(nil, handler, via)
    }

    /// A client's request as an origin gets it, but for what ``writeEnd(ofRequest:asking:)`` writes.
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
    func writeEnd(ofRequest output: inout ByteBuffer, asking question: ProxyRelay.Question) {
        if case .validation(let validation, _) = question {
            // A plain request has no conditions of its own.
            for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince] {
                if let value = validation.request.headerFields[name] { output.writeString("\(name.rawName): \(value)\r\n") }
            }
        }
        output.writeStaticString("\r\n")
    }

    /// Writes the last fields of a response's head.
    func writeEnd(ofResponse output: inout ByteBuffer, status: Int, because reason: Storability.Reason, announcesClose: Bool) {
        guard let ending = endings[reason] else { preconditionFailure("no text for \(reason)") }
        write(ending, to: &output, status: status, timeToLive: nil, announcesClose: announcesClose)
    }

    /// The same for a response that is stored.
    func writeEnd(ofStoredResponse output: inout ByteBuffer, status: Int, timeToLive: Double, announcesClose: Bool) {
        write(endingOfStored, to: &output, status: status, timeToLive: timeToLive, announcesClose: announcesClose)
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
