// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardNIOTestSupport
import NIOHPACK
import Testing

@testable import HoardNIO

/// The rules alone, without the codec, which has some of them too.
@Suite struct StreamRequestHeadTests {
    private static func head(
        _ fields: [(String, String)],
        endsStream: Bool = true,
        isSecure: Bool = false,
        _ change: (inout HTTPServer.Configuration) -> Void = { _ in }
    ) throws -> StreamRequestHead {
        var limits = HTTPServer.Configuration()
        change(&limits)
        return try StreamRequestHead(HPACKHeaders(fields), endsStream: endsStream, isSecure: isSecure, limits: limits)
    }

    private static func refusal(_ fields: [(String, String)], endsStream: Bool = true) -> StreamRequestHead.Refusal? {
        do {
            _ = try head(fields, endsStream: endsStream)
            return nil
        } catch {
            return error as? StreamRequestHead.Refusal
        }
    }

    @Test func schemeIsThatOfTheConnection() throws {
        for (scheme, isSecure) in [("http", true), ("https", true), ("http", false), ("HTTPS", false)] {
            let fields = [(":method", "GET"), (":scheme", scheme), (":authority", "a"), (":path", "/")]
            #expect(try Self.head(fields, isSecure: isSecure).head.scheme == (isSecure ? "https" : "http"))
        }
    }

    @Test func hostStandsInForTheAuthority() throws {
        let fields = [(":method", "GET"), (":scheme", "http"), (":path", "/"), ("host", "a:80")]
        let head = try Self.head(fields).head
        #expect(head.authority == "a:80")
        #expect(head.headerFields.isEmpty)
        let both = try Self.head(FrameClient.get("/", [("host", "A")])).head
        #expect(both.authority == "a")
        #expect(Self.refusal(FrameClient.get("/", [("host", "a"), ("host", "a")])) == .malformed)
    }

    @Test func lengthIsKnownIfItIsSaidOrNothingFollows() throws {
        #expect(try Self.head(FrameClient.get("/")).contentLength == 0)
        #expect(try Self.head(FrameClient.get("/"), endsStream: false).contentLength == nil)
        #expect(try Self.head(FrameClient.get("/", [("content-length", "7")]), endsStream: false).contentLength == 7)
        #expect(try Self.head(FrameClient.get("/", [("content-length", "0")])).contentLength == 0)
        for length in ["+1", "-1", "", "1,1", "0x1", "99999999999999999999"] {
            #expect(Self.refusal(FrameClient.get("/", [("content-length", length)]), endsStream: false) == .malformed)
        }
    }

    @Test func continueIsExpectedOnlyWhereContentFollows() throws {
        let fields = FrameClient.get("/", [("expect", "100-Continue")])
        #expect(try Self.head(fields, endsStream: false).expectsContinue)
        #expect(try !Self.head(fields).expectsContinue)
        #expect(try !Self.head(FrameClient.get("/"), endsStream: false).expectsContinue)
    }

    @Test(arguments: HTTP2ServerLimitTests.malformed.indices)
    func malformedRequestIsRefused(_ index: Int) {
        let refusal = Self.refusal(HTTP2ServerLimitTests.malformed[index])
        switch refusal {
        case .malformed: break
        // The codec would reset such a request. If one ever gets here, it is answered.
        case .rejected(let rejection): #expect(rejection.status == .badRequest)
        case nil: Issue.record("It was accepted.")
        }
    }

    @Test func namesInCapitalsAreMalformed() {
        #expect(Self.refusal(FrameClient.get("/", [("Accept", "a")])) == .malformed)
        #expect(Self.refusal(FrameClient.get("/", [("accepT", "a")])) == .malformed)
        #expect(Self.refusal(FrameClient.get("/", [("", "a")])) == .malformed)
    }

    @Test func limitsAreKept() {
        func status(_ fields: [(String, String)], _ change: (inout HTTPServer.Configuration) -> Void) -> Int? {
            do {
                _ = try Self.head(fields, endsStream: false, change)
                return nil
            } catch {
                if case .rejected(let rejection)? = error as? StreamRequestHead.Refusal { return rejection.status.code }
                return 0
            }
        }
        #expect(status(FrameClient.get("/12345")) { $0.maximumTargetByteCount = 6 } == nil)
        #expect(status(FrameClient.get("/123456")) { $0.maximumTargetByteCount = 6 } == 414)
        #expect(status(FrameClient.get("/", [("a", "1"), ("b", "2")])) { $0.maximumHeaderFieldCount = 2 } == nil)
        #expect(status(FrameClient.get("/", [("a", "1"), ("b", "2")])) { $0.maximumHeaderFieldCount = 1 } == 431)
        // The method, the scheme and the authority count, too.
        let others = FrameClient.get("/").filter { $0.0.hasPrefix(":") && $0.0 != ":path" }.reduce(0) { $0 + $1.1.utf8.count }
        #expect(status(FrameClient.get("/", [("a", "123")])) { $0.maximumHeaderByteCount = others + 4 } == nil)
        #expect(status(FrameClient.get("/", [("a", "1234")])) { $0.maximumHeaderByteCount = others + 4 } == 431)
        #expect(status(FrameClient.get("/", [("content-length", "5")])) { $0.maximumRequestContentByteCount = 5 } == nil)
        #expect(status(FrameClient.get("/", [("content-length", "6")])) { $0.maximumRequestContentByteCount = 5 } == 413)
    }
}
