// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardTestingServer
import NIOCore
import Synchronization
import Testing

@testable import HoardCommand

@Suite("hoard warm", .timeLimit(.minutes(5)))
struct WarmCommandTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func file(_ name: String, _ lines: [String]) throws -> String {
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: directory.path(name)))
        return directory.path(name)
    }

    private static func sitemap(_ root: String, _ locations: [String]) -> String {
        "<?xml version=\"1.0\"?>\n<\(root) xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"
            + locations.map { "<url>\n <loc> \($0) </loc><priority>1</priority></url>" }.joined() + "</\(root)>"
    }

    @Test func proxyHasWhatASitemapNamesBeforeAnybodyAsks() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            switch request.path {
            case "/sitemap.xml": .init(Self.sitemap("sitemapindex", ["http://site.test/pages.xml", "http://site.test/sitemap.xml"]))
            case "/pages.xml":
                .init(Self.sitemap("urlset", ["http://site.test/a?x=1&amp;y=2", "http://site.test/b", "http://site.test/b", "http://site.test/own"]))
            case "/own": .init("mine", fields: [.cacheControl: "no-store"])
            default: .init("a page", fields: [.cacheControl: "max-age=600"])
            }
        }
        let (proxy, address) = try await HoardProcess.proxy(origin: origin.url, directory: directory.path("cache"))
        let arguments = ["warm", "--proxy", address, "--sitemap", "http://site.test/sitemap.xml", "--json"]
        let first = await (try HoardProcess(arguments)).result()
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.errors.hasPrefix("3 URLs: 2 stored, 1 not stored; 16 B in "), "\(first.errors)")
        let report = try #require(try JSONSerialization.jsonObject(with: first.output) as? [String: Any])
        #expect(report["stored"] as? Int == 2 && report["notStored"] as? Int == 1 && report["urls"] as? Int == 3 && report["failed"] as? Int == 0)
        #expect(origin.requests.filter { $0.path == "/a?x=1&y=2" || $0.path == "/b" }.count == 2)
        let second = await (try HoardProcess(arguments)).result()
        #expect(second.errors.hasPrefix("3 URLs: 2 cached already, 1 not stored; "), "\(second.errors)")
        #expect(origin.requests.filter { $0.path == "/b" }.count == 1)
        proxy.signal(SIGTERM)
        _ = await proxy.result()
        await origin.stop()
    }

    @Test func hostOfEachURLReachesTheProxyAndFieldsAreSent() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("ok", fields: [.cacheStatus: "edge; hit, near; fwd=uri-miss; stored"]) }
        let urls = try file("urls", ["# pages", "http://one.test/", "", "https://two.test/x"])
        let result = try await HoardProcess.run("warm", "--proxy", origin.url, "--urls", urls, "--concurrency", "1", "-H", "Accept-Language: pt")
        #expect(result.status == 0 && result.errors.hasPrefix("2 URLs: 2 stored; 4 B in "), "\(result.errors)")
        #expect(origin.requests.map(\.authority) == ["one.test", "two.test"] && origin.requests.map(\.path) == ["/", "/x"])
        #expect(origin.requests.allSatisfy { $0.headerFields[.acceptLanguage] == "pt" && $0.headerFields[.userAgent] == Version.userAgent })
        await origin.stop()
    }

    @Test func urlsMayComeFromAPipe() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("ok") }
        let process = try HoardProcess(
            ["warm"],
            environment: ["LIST": try file("urls", ["\(origin.url)/a", "\(origin.url)/b"])],
            through: ["/bin/bash", "--norc", "-c", #""$0" "$@" --urls <(cat "$LIST")"#]
        )
        let result = await process.result()
        #expect(result.status == 0 && result.errors.hasPrefix("2 URLs: 2 not stored; "), "\(result.errors)")
        await origin.stop()
    }

    @Test func failuresAreNamedAndTheOthersAreWarmedAllTheSame() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            request.path == "/gone" ? .init("no", status: .gone) : .init("ok")
        }
        let errors = try file("errors", ["\(origin.url)/a", "\(origin.url)/gone"])
        let first = try await HoardProcess.run("warm", "--urls", errors)
        #expect(first.status == 22)
        #expect(first.errors.hasPrefix("hoard: \(origin.url)/gone: status 410\n2 URLs: 1 not stored, 1 failed; 4 B in "), "\(first.errors)")
        let broken = try file("broken", ["\(origin.url)/a", "http://127.0.0.1:1/", "ftp://a/b"])
        let second = try await HoardProcess.run("warm", "--urls", broken)
        #expect(second.status == 1)
        #expect(second.errors.contains("hoard: “ftp://a/b” is not an http or https URL with a host.\n"))
        #expect(second.errors.contains("hoard: http://127.0.0.1:1/: ") && second.errors.contains("2 URLs: 1 not stored, 1 failed; "))
        await origin.stop()
    }

    @Test func sourcesThatCannotBeReadAreNamed() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            switch request.path {
            case "/packed.gz": .init(body: HTTPBody(ByteBuffer(bytes: [0x1F, 0x8B, 8, 0])))
            case "/strange.xml": .init(Self.sitemap("urlset", ["mailto:a@b"]))
            default: .init("", status: .notFound)
            }
        }
        let result = try await HoardProcess.run(
            "warm",
            "--sitemap",
            "\(origin.url)/none.xml",
            "--sitemap",
            "\(origin.url)/packed.gz",
            "--sitemap",
            "\(origin.url)/strange.xml",
            "--urls",
            directory.path("missing")
        )
        #expect(result.status == 1)
        let texts = [
            "none.xml cannot be read: status 404.", "packed.gz is compressed; unpack it", "names “mailto:a@b”, which is not",
            "missing cannot be read:",
        ]
        for text in texts { #expect(result.errors.contains(text), "\(text): \(result.errors)") }
        #expect(result.errors.contains("0 URLs: nothing to do; 0 B in "))
        await origin.stop()
    }

    @Test(arguments: [
        ([], "There is nothing to ask for"), (["--urls", "-", "--concurrency", "0"], "from 1 to 1000"),
        (["--urls", "-", "--rate", "0"], "0.001 to 1000000"),
        (["--urls", "-", "--proxy", "http://a/b"], "without a path"), (["--urls", "-", "--proxy", "localhost:80"], "no scheme"),
        (["--sitemap", "sitemap.xml"], "no scheme"), (["--urls", "-", "--max-time", "0"], "above 0"),
    ])
    func mistakesAreToldBeforeAnythingIsAskedFor(arguments: [String], sentence: String) async throws {
        let result = await (try HoardProcess(["warm"] + arguments)).result()
        #expect(result.status == 64 && result.errors.contains(sentence), "\(result.errors)")
    }

    @Test func aSummaryThatCannotBeWrittenIsAFailure() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("ok") }
        let urls = try file("urls", ["\(origin.url)/a"])
        let result = try await HoardProcess.run(["warm", "--urls", urls, "--json"], redirection: ">/dev/full")
        #expect(result.status == 1)
        #expect(result.errors.contains("No space left on device"), "\(result.errors)")
        await origin.stop()
    }

    /// Never more at a time than allowed, and never faster.
    @Test func concurrencyAndRateAreKept() async throws {
        let state = Mutex((now: 0, most: 0))
        let origin = try await FakeOrigin.start { _, _ in
            state.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
            }
            for _ in 0..<100 { await Task.yield() }
            state.withLock { $0.now -= 1 }
            return .init("ok")
        }
        let urls = try file("urls", (0..<200).map { "\(origin.url)/\($0)" })
        #expect(try await HoardProcess.run("warm", "--urls", urls, "--concurrency", "3").status == 0)
        #expect(state.withLock { (1...3).contains($0.most) } && origin.requests.count == 200)
        let few = try file("few", (0..<11).map { "\(origin.url)/\($0)" })
        let start = ContinuousClock.now
        #expect(try await HoardProcess.run("warm", "--urls", few, "--rate", "50").status == 0)
        #expect(ContinuousClock.now - start >= .milliseconds(200))
        await origin.stop()
    }
}
