// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import Testing

/// A link that looks like a file's does not make a page of one user's a file for all.
@Suite(.timeLimit(.minutes(5))) struct CacheDeceptionTests {
    /// Targets that an origin may take for `/account`, and a careless cache for a style sheet.
    private static let decoys = [
        "/account.php/x.css", "/account/x.js", "/account;x.css", "/account%3bx.css", "/account%2fx.css", "/account%23x.css", "/account%3fx.css",
        "/account%00x.css", "/account%0ax.css", "/account?x.css", "/account!x.css", "/account~x.png", "/static/..%2faccount",
        "/static/%2e%2e/account",
        "/static/../account", "/account\\x.css",
    ]

    /// An origin that shows all users their own account, whatever the link.
    private static func account(_ fields: HTTPFields) -> FakeTransport.Handler {
        { request in .text("account of \(request.head.headerFields[.cookie] ?? "nobody")", fields: fields) }
    }

    @Test(
        arguments: [
            [:], [.contentType: "text/css"], [.eTag: "\"1\""], [.contentType: "text/css", .expires: "0"], [.cacheControl: "private, max-age=60"],
            [.cacheControl: "no-store"], [.cacheControl: "no-cache"], [.cacheControl: "max-age=0"], [.vary: "Cookie", .cacheControl: "max-age=60"],
            [.vary: "*", .cacheControl: "max-age=60"],
        ] as [HTTPFields]
    )
    func pageIsNotSharedBecauseOfWhatItsLinkLooksLike(fields: HTTPFields) async throws {
        let harness = CacheHarness(mode: .shared, origin: Self.account(fields))
        for path in Self.decoys {
            #expect(try await harness.get(path, [.cookie: "ann"]).text == "account of ann")
            #expect(try await harness.get(path, [.cookie: "eve"]).text == "account of eve", "\(path)")
            #expect(try await harness.get(path).text == "account of nobody", "\(path)")
        }
    }

    @Test func extensionAndTypeDecideNothing() async throws {
        let harness = CacheHarness(mode: .shared) { _ in .text("body {}", fields: [.contentType: "text/css"]) }
        for path in ["/style.css", "/script.js", "/image.png", "/font.woff2", "/robots.txt", "/favicon.ico"] {
            try await harness.get(path)
            #expect(try await !harness.get(path).isFromCache, "\(path)")
        }
    }

    @Test func whatIsStoredForADecoyIsFoundUnderItsOwnNameOnly() async throws {
        let harness = CacheHarness(mode: .shared, origin: Self.account([.cacheControl: "max-age=60"]))
        // The origin says that these may be shared. Then that holds for the target that was asked for, and for no other.
        for path in Self.decoys { try await harness.get(path, [.cookie: "ann"]) }
        for path in ["/account.php", "/account/", "/x.css", "/account/x.css", "/static/account"] {
            #expect(try await harness.get(path, [.cookie: "eve"]).text == "account of eve", "\(path)")
        }
    }

    @Test func originSeesTheNameUnderWhichItsAnswerIsStored() async throws {
        let harness = CacheHarness(mode: .shared) { request in .text(request.head.path ?? "", fields: [.cacheControl: "max-age=60"]) }
        for path in ["/static/../account", "/static/%2e%2e/account", "/static/.%2E/account"] {
            #expect(try await harness.get(path).text == "/account")
        }
        #expect(harness.requestCount == 1)
        // Characters that only an origin would decode stay encoded, for the key and for the origin.
        for path in ["/static/..%2Faccount", "/account%3Fx.css", "/account%23x.css", "/account%00x.css"] {
            #expect(try await harness.get(path).text == path)
        }
        #expect(harness.requestCount == 5)
    }
}
