// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardCodings
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Testing

/// Content codings (RFC 9110 §8.4) that a client asks for and undoes.
@Suite(.timeLimit(.minutes(5))) struct ContentDecodingTests {
    private static let url = "http://example.com/a"
    private static let text = String(repeating: "Content that says the same again and again. ", count: 200)

    private static func coded(_ text: String, _ codings: [ContentCoding]) throws -> ByteBuffer {
        var content = Array(text.utf8)
        for coding in codings {
            let encoder = try ContentEncoder(coding: coding)
            var output: [UInt8] = []
            let result = content.withUnsafeBytes { bytes in
                Result { () throws(CodingError) in
                    try encoder.encode(bytes) { part throws(CodingError) in output += part }
                    try encoder.finish { part throws(CodingError) in output += part }
                }
            }
            try result.get()
            content = output
        }
        return ByteBuffer(bytes: content)
    }

    private static func fields(_ codings: [ContentCoding], _ more: HTTPFields = [:]) -> HTTPFields {
        var fields: HTTPFields = [.cacheControl: "max-age=600", .eTag: "\"1\"", .contentEncoding: codings.map(\.name).joined(separator: ", ")]
        for field in more { fields.append(field) }
        return fields
    }

    private static func parts(of bytes: ByteBuffer, size: Int) -> HTTPBody {
        var (rest, parts) = (bytes, [ByteBuffer]())
        while let part = rest.readSlice(length: min(size, max(1, rest.readableBytes))), part.readableBytes > 0 { parts.append(part) }
        return HTTPBody(
            AsyncStream { stream in
                for part in parts { stream.yield(part) }; stream.finish()
            },
            length: nil
        )
    }

    private func collect(_ response: ClientResponse) async throws -> String { String(buffer: try await response.body.collect(upTo: 1 << 24)) }

    @Test(arguments: [[ContentCoding.gzip], [.deflate], [.gzip, .gzip]] + ContentCoding.available.map { [$0] }, [nil, 1, 100] as [Int?])
    func codedContentIsDecodedAndStoredAsItCame(codings: [ContentCoding], size: Int?) async throws {
        let bytes = try Self.coded(Self.text, codings)
        let transport = FakeTransport { _ in
            let body = size.map { Self.parts(of: bytes, size: $0) } ?? HTTPBody(bytes)
            return .response(HTTPResponse(status: .ok, headerFields: Self.fields(codings, [.contentLength: "\(bytes.readableBytes)"])), body: body)
        }
        let client = CachingClient(transport: transport)
        for isFromCache in [false, true] {
            let response = try await client.get(Self.url)
            #expect(response.isFromCache == isFromCache && response.head.headerFields[.contentEncoding] == nil)
            #expect([nil, "\(Self.text.utf8.count)"].contains(response.head.headerFields[.contentLength]))
            #expect(response.head.headerFields[.eTag] == "W/\"1\"")
            #expect(try await collect(response) == Self.text)
        }
        var options = RequestOptions()
        options.decoding.isEnabled = false
        let stored = try await client.get(Self.url, options: options)
        #expect(stored.isFromCache && stored.head.headerFields[.contentEncoding] == codings.map(\.name).joined(separator: ", "))
        #expect(try await stored.body.collect(upTo: 1 << 24) == bytes)
        #expect(transport.requests.first?.head.headerFields[.acceptEncoding] == ContentCoding.available.map(\.name).joined(separator: ", "))
    }

    @Test func aRequestWithItsOwnAcceptEncodingGetsContentAsItComes() async throws {
        let bytes = try Self.coded(Self.text, [.gzip])
        let transport = FakeTransport { _ in .response(HTTPResponse(status: .ok, headerFields: Self.fields([.gzip])), body: HTTPBody(bytes)) }
        let response = try await CachingClient(transport: transport).get(Self.url, fields: [.acceptEncoding: "gzip"])
        #expect(response.head.headerFields[.contentEncoding] == "gzip")
        #expect(try await response.body.collect(upTo: 1 << 24) == bytes)
        #expect(transport.requests.map { $0.head.headerFields[.acceptEncoding] } == ["gzip"])
    }

    @Test func aRequestForARangeAsksForNoCoding() async throws {
        let transport = FakeTransport { _ in .text("lo", status: .partialContent, fields: [.contentRange: "bytes 3-4/5", .contentEncoding: "gzip"]) }
        let response = try await CachingClient(transport: transport).get(Self.url, fields: [.range: "bytes=3-4"])
        #expect(transport.requests.first?.head.headerFields[.acceptEncoding] == "identity")
        #expect(try await collect(response) == "lo" && response.head.headerFields[.contentEncoding] == "gzip")
    }

    @Test func ofCodedContentThatIsStoredARequestForARangeGetsTheWhole() async throws {
        let bytes = try Self.coded(Self.text, [.gzip])
        let transport = FakeTransport { _ in .response(HTTPResponse(status: .ok, headerFields: Self.fields([.gzip])), body: HTTPBody(bytes)) }
        let client = CachingClient(transport: transport)
        _ = try await collect(client.get(Self.url))
        let response = try await client.get(Self.url, fields: [.range: "bytes=3-9"])
        #expect(response.isFromCache && response.head.status == .ok && response.head.headerFields[.contentEncoding] == nil)
        #expect(try await collect(response) == Self.text)
        // The places in the coded content are of use to a client that names the coding itself.
        let part = try await client.get(Self.url, fields: [.range: "bytes=3-9", .acceptEncoding: "gzip"])
        #expect(part.isFromCache && part.head.status == .partialContent)
        #expect(try await part.body.collect(upTo: 100) == bytes.getSlice(at: 3, length: 7))
    }

    @Test(arguments: ["compress", "gzip, compress", "gzip, gzip, gzip, gzip, gzip", "identity", "aws-chunked"])
    func aCodingThatCannotBeUndoneIsLeft(coding: String) async throws {
        let transport = FakeTransport { _ in .text("as it came", fields: [.contentEncoding: coding]) }
        let response = try await CachingClient(transport: transport).get(Self.url)
        #expect(try await collect(response) == "as it came" && response.head.headerFields[.contentEncoding] == coding)
    }

    @Test func aResponseToHEADAndOneWithoutContentStayAsTheyAre() async throws {
        let transport = FakeTransport { _ in .response(HTTPResponse(status: .ok, headerFields: Self.fields([.gzip])), body: .empty) }
        let client = CachingClient(transport: transport)
        for method in [HTTPRequest.Method.head, .get] {
            let request = HTTPRequest(method: method, scheme: "http", authority: "example.com", path: "/a")
            let response = try await client.send(request)
            #expect(try await collect(response) == "" && response.head.headerFields[.contentEncoding] == "gzip")
        }
    }

    @Test(arguments: [nil, 10] as [Int?]) func contentThatIsDamagedOrCutThrows(size: Int?) async throws {
        let whole = try Self.coded(Self.text, [.gzip])
        var damaged = whole
        damaged.setInteger(UInt8(0xff), at: damaged.readerIndex + 30)
        for bytes in [whole.getSlice(at: whole.readerIndex, length: whole.readableBytes - 5) ?? whole, damaged, ByteBuffer(string: "no gzip")] {
            let transport = FakeTransport { _ in
                let body = size.map { Self.parts(of: bytes, size: $0) } ?? HTTPBody(bytes)
                return .response(HTTPResponse(status: .ok, headerFields: Self.fields([.gzip])), body: body)
            }
            let response = try await CachingClient(transport: transport).get(Self.url)
            let error = await #expect(throws: TransportError.self) { try await collect(response) }
            #expect(error?.code == .invalidResponse)
        }
    }

    @Test(arguments: ContentCoding.available) func aBombIsRefusedAndComesInSmallParts(coding: ContentCoding) async throws {
        let bytes = try Self.coded(String(repeating: "\0", count: 48 << 20), [coding])
        let transport = FakeTransport { _ in .response(HTTPResponse(status: .ok, headerFields: Self.fields([coding])), body: HTTPBody(bytes)) }
        var options = RequestOptions()
        options.decoding.maximumBytes = 1 << 20
        let response = try await CachingClient(transport: transport).get(Self.url, options: options)
        var (count, longest) = (0, 0)
        let error = await #expect(throws: TransportError.self) {
            for try await part in response.body { (count, longest) = (count + part.readableBytes, max(longest, part.readableBytes)) }
        }
        #expect(error?.code == .invalidResponse && count <= 1 << 20 && longest <= 64 << 10)
    }

    @Test func whatMemoryHasIsDecodedWithoutWaiting() async throws {
        let bytes = try Self.coded(Self.text, [.gzip])
        let transport = FakeTransport { _ in .response(HTTPResponse(status: .ok, headerFields: Self.fields([.gzip])), body: HTTPBody(bytes)) }
        let client = CachingClient(transport: transport)
        _ = try await collect(client.get(Self.url))
        let request = HTTPRequest(method: .get, scheme: "http", authority: "example.com", path: "/a")
        let response = try #require(
            client.responseFromMemory(to: request, options: RequestOptions()) { _, bytes in String(buffer: bytes) == Self.text }
        )
        #expect(response.body.bytesAtHand.map { String(buffer: $0) } == Self.text && response.isFromCache)
        #expect(response.head.headerFields[.contentLength] == "\(Self.text.utf8.count)")
    }
}
