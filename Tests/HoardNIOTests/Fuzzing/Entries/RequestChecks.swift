// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOHTTP1

@testable import HoardNIO

/// The rules for all bytes that a client of HTTP/1 may send.
package enum RequestChecks {
    /// Limits that a small input can reach.
    private static let scanner = RequestScanner(maximumByteCount: 1_024, maximumFieldCount: 16)

    /// Tries one input. Throws a finding if something about the result is wrong.
    @Sendable package static func check(_ bytes: [UInt8]) throws {
        try checkScanner(bytes)
        try ConnectionChecks.check(FuzzInput(bytes: bytes))
    }

    // MARK: The scanner

    private enum Kind: Equatable {
        case request(byteCount: Int)
        case incomplete, other
    }

    private static func scan(_ bytes: some Collection<UInt8>) -> (kind: Kind, head: RequestScanner.Head?) {
        Array(bytes).withUnsafeBytes { bytes in
            switch scanner.scan(bytes) {
            case .request(let head): (.request(byteCount: head.byteCount), head)
            case .incomplete: (.incomplete, nil)
            case .other: (.other, nil)
            }
        }
    }

    /// The scanner and the parser have to see the same request.
    static func checkScanner(_ bytes: [UInt8]) throws {
        let (whole, head) = scan(bytes)
        for count in 0..<min(bytes.count, 1_100) {
            let (kind, _) = scan(bytes[..<count])
            guard kind != .incomplete else { continue }
            try FuzzInput.require(kind == whole, "The first \(count) bytes are \(kind), all of them \(whole).")
            if case .request(let byteCount) = kind { try FuzzInput.require(byteCount == count, "A head of \(byteCount) bytes was understood late.") }
            break
        }
        guard let head else { return }
        try FuzzInput.require((1...bytes.count).contains(head.byteCount), "A head has more bytes than there are.")
        guard head.requestByteCount <= bytes.count else { return }
        var request = Array(bytes[..<head.requestByteCount])
        // The parser has no QUERY: it gets another method of the same length, as from MethodHandler.
        if head.method == .query { request.replaceSubrange(..<5, with: "PATCH".utf8) }
        for pieces in [[request], FuzzInput(bytes: request).pieces(upTo: 24)] { try checkParser(pieces, against: head, of: request) }
    }

    /// The parser must see the same request, and nothing behind it.
    private static func checkParser(_ pieces: [[UInt8]], against head: RequestScanner.Head, of request: [UInt8]) throws {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
        for piece in pieces { try channel.writeInbound(ByteBuffer(bytes: piece)) }
        guard case .head(let parsed)? = try channel.readInbound(as: HTTPServerRequestPart.self),
            Self.content(try channel.readInbound(as: HTTPServerRequestPart.self), channel) == Array(request[head.byteCount...]),
            try channel.readInbound(as: HTTPServerRequestPart.self) == nil
        else { throw FuzzInput.Finding(description: "The parser does not see one whole request.") }
        let method: HTTPMethod =
            switch head.method {
            case .get: .GET
            case .head: .HEAD
            case .query: .PATCH
            }
        try FuzzInput.require(parsed.method == method, "The parser sees the method \(parsed.method).")
        try FuzzInput.require(Array(parsed.uri.utf8) == Array(request[head.target]), "The parser sees the target \(parsed.uri).")
        // It leaves tabs behind a value, which are no part of it: RFC 9112 §5.
        let hosts = parsed.headers["host"].map { Array(Substring($0).trimmingSpaces.utf8) }
        try FuzzInput.require(hosts == [Array(request[head.host])], "The parser sees the hosts \(parsed.headers["host"]).")
        // After a request to close it takes no more.
        guard parsed.isKeepAlive else { return }
        try channel.writeInbound(ByteBuffer(string: "OPTIONS /next HTTP/1.1\r\nhost: b\r\n\r\n"))
        guard case .head(let next)? = try channel.readInbound(as: HTTPServerRequestPart.self), next.method == .OPTIONS, next.uri == "/next",
            next.headers.count == 1
        else { throw FuzzInput.Finding(description: "The parser sees another end of the request.") }
    }

    /// All content up to the end of the request; `nil` if it does not end, or with trailers.
    private static func content(_ part: HTTPServerRequestPart?, _ channel: EmbeddedChannel) -> [UInt8]? {
        var (part, content) = (part, [UInt8]())
        while case .body(let bytes)? = part {
            content += bytes.readableBytesView
            part = try? channel.readInbound(as: HTTPServerRequestPart.self)
        }
        guard case .end(nil)? = part else { return nil }
        return content
    }
}
