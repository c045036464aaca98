// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import HoardProxy

/// Misses that go through the proxy by their bytes beside the same ones that are parsed: servers get the same requests, and clients the same responses.
@Suite(.timeLimit(.minutes(5))) struct RelayDifferentialTests {
    private static let requestFields = [
        "Accept: */*", "accept-encoding: gzip, br", "Cookie: a=b; c=d", "User-Agent:x", "Via: 1.0 other", "X-Tab:\ta\tb\t", "Connection: keep-alive",
        "X-Forwarded-For: 9.9.9.9", "Forwarded: for=9.9.9.9", "X-Forwarded-Host: evil", "Client-Cert: :x:", "Accept-Language: de", "X-Twice: 1",
        "X-Twice: 2", "Max-Forwards: 3", "X-Empty:", "Referer: http://a/b", "Upgrade-Insecure-Requests: 1", "Sec-Fetch-Mode: navigate", "DNT: 1",
        "X_Real_IP: 1", "Cache-Control: no-cache", "TE: trailers", "Priority: u=1",
    ]
    private static let statuses = [
        "200 OK", "200 OK", "200 OK", "200 Fine", "404 Not Found", "301 Moved Permanently", "204 No Content", "299 Odd", "500 Internal Server Error",
        "206 Partial Content",
        "304 Not Modified", "412 Precondition Failed", "203 Non-Authoritative Information", "599 X", "205 Reset Content", "429 Too Many",
    ]
    private static let responseFields = [
        "Content-Type: text/plain", "Connection: keep-alive", "Keep-Alive: timeout=5", "Connection: close", "Set-Cookie: a=b",
        "Set-Cookie: c=d; HttpOnly",
        "Age: 5", "age: x", "Vary: Accept-Encoding", "Vary: *", "Vary: X-Forwarded-For", "Vary: Forwarded, Accept", "Cache-Status: other; hit",
        "Via: 1.1 other",
        "CDN-Cache-Control: max-age=60", "CDN-Cache-Control: no-store", "Surrogate-Control: max-age=1", "X-Tab:\ta\tb\t", "Server:nginx",
        "ETag: \"1\"", "Trailer: X",
        "Expires: 0", "Proxy-Authenticate: Basic", "Upgrade: h2c", "TE: trailers", "Cache-Tag: a, b", "X-Text: é", "Link: </a>; rel=preload",
        "Hoard-Policy: x", "Proxy-Connection: keep-alive", "Last-Modified: Tue, 14 Nov 2023 00:00:00 GMT", "Content-Length: 5",
        "Strict-Transport-Security: max-age=1", "Access-Control-Allow-Origin: *", "No-Vary-Search: params", "Surrogate-Key: a b", "Cache-Tag: a\u{1}",
    ]
    private static let cacheControls = [
        "no-store", "no-store", "no-store", "private", "private, max-age=60", "no-cache, no-store, must-revalidate", "max-age=60", "NO-STORE",
        "no-store=\"x\"", "max-age=2147483647", "max-age=2147483647", "s-maxage=2147483647, max-age=0", "public",
        "max-age=2147483647, stale-if-error=9", "max-age=0",
        "no-cache=\"X-Tab\", max-age=60", "private=\"Set-Cookie\"", "must-understand, no-store", "must-understand, private", "public, no-store",
        "\"no-store", "max-age=\"no-store\"",
        "",
    ]

    /// A response at random, and in how many pieces it is sent.
    private static func response(_ generator: inout SeededGenerator) -> [ScriptedServer.Step] {
        let status = HostileHeads.pick(statuses, &generator)
        let hasNoContent = ["204", "304", "205"].contains { status.hasPrefix($0) }
        let content = hasNoContent ? "" : HostileHeads.pick(["hello", "hello", "", String(repeating: "x", count: 70_000)], &generator)
        var lines: [String] = []
        var closes = false
        switch hasNoContent ? 9 : Int.random(in: 0..<10, using: &generator) {
        case 0: closes = true
        case 1: lines.append("Transfer-Encoding: chunked")
        default: if !(hasNoContent && HostileHeads.chance(2, &generator)) { lines.append("Content-Length: \(content.utf8.count)") }
        }
        if !HostileHeads.chance(6, &generator) { lines.append("Date: Tue, 14 Nov 2023 00:00:00 GMT") }
        if !HostileHeads.chance(6, &generator) { lines.append("Cache-Control: \(HostileHeads.pick(cacheControls, &generator))") }
        if HostileHeads.chance(12, &generator) { lines.append("Cache-Control: \(HostileHeads.pick(cacheControls, &generator))") }
        for _ in 0..<Int.random(in: 0...3, using: &generator) { lines.append(HostileHeads.pick(responseFields, &generator)) }
        lines.shuffle(using: &generator)
        if lines.contains("Connection: close") { closes = true }
        let version = HostileHeads.chance(20, &generator) ? "HTTP/1.0" : "HTTP/1.1"
        let isChunked = lines.contains("Transfer-Encoding: chunked")
        let sent = isChunked ? "\(String(content.utf8.count, radix: 16))\r\n\(content)\r\n\(content.isEmpty ? "" : "0\r\n\r\n")" : content
        let text = "\(version) \(status)\r\n\(lines.map { $0 + "\r\n" }.joined())\r\n\(sent)"
        let end: [ScriptedServer.Step] = closes || version == "HTTP/1.0" ? [.close] : []
        guard HostileHeads.chance(5, &generator) else { return [.send(text)] + end }
        let bytes = Array(text.utf8)
        let cut = Int.random(in: 1..<bytes.count, using: &generator)
        let parts = [bytes[..<cut], bytes[cut...]].map { String(decoding: $0, as: UTF8.self) }
        return parts.joined() == text ? [.send(parts[0]), .pause(.milliseconds(1)), .send(parts[1])] + end : [.send(text)] + end
    }

    /// The seed of `HOARD_RELAY_SEED`, as a failure has told it, and the number of runs of `HOARD_RELAY_RUNS`; without them any seed, and 300 runs.
    private static var asked: (seed: UInt64, count: Int) {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["HOARD_RELAY_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
        return (seed, environment["HOARD_RELAY_RUNS"].flatMap { Int($0) } ?? 300)
    }

    @Test func bytesAndParsedRequestsGetTheSame() async throws {
        let (seed, count) = Self.asked
        var generator = SeededGenerator(seed: seed)
        let responses = (0..<count).map { _ in [Self.response(&generator)] }
        let relayedCount = try await compare(responses, seed, &generator)
        #expect(relayedCount > count / 20, "seed \(seed)")
    }

    @Test func staleResponsesAreAskedAboutAlike() async throws {
        let (seed, count) = Self.asked
        var generator = SeededGenerator(seed: seed)
        let responses = (0..<count).map { _ in
            let fields = (0..<Int.random(in: 0...3, using: &generator)).map { _ in HostileHeads.pick(Self.responseFields, &generator) + "\r\n" }
            let hasTag = !HostileHeads.chance(4, &generator) && !fields.contains { $0.hasPrefix("ETag") }
            let tag = hasTag ? "ETag: \"1\"\r\n" : ""
            let length = fields.contains { $0.hasPrefix("Content-Length") } ? "" : "Content-Length: 5\r\n"
            let stored =
                "HTTP/1.1 200 OK\r\nDate: Tue, 14 Nov 2023 00:00:00 GMT\r\nCache-Control: max-age=1\r\n\(fields.joined())\(tag)\(length)\r\nhello"
            var update = Self.response(&generator)
            if HostileHeads.chance(2, &generator), case .send(let text) = update[0], let line = text.firstRange(of: "\r\n") {
                let directives = HostileHeads.pick(["max-age=2147483647", "max-age=0", "no-cache", "no-store", "max-age=1"], &generator)
                let head = "HTTP/1.1 304 Not Modified\r\nCache-Control: \(directives)\r\nDate: Tue, 14 Nov 2023 00:00:00 GMT\r\n"
                let rest = text[line.upperBound...].split(separator: "\r\n").prefix { !$0.isEmpty && $0.contains(": ") }
                let kept = rest.filter { line in !["Date", "Cache", "Transfer", "Conn"].contains { line.hasPrefix($0) } }
                update = [.send(head + kept.map { $0 + "\r\n" }.joined() + "\r\n")]
            }
            return [[.send(stored)], update]
        }
        let confirmed = try await compare(responses, seed, &generator) { $0.proxy.cache.statistics.validatedHits }
        #expect(confirmed > count / 20, "seed \(seed)")
    }

    /// Sends requests of both ways, as many to one target as there are responses for it, and compares all answers, and all that servers get.
    ///
    /// - Returns: The final count of `measured`.
    @discardableResult
    private func compare(
        _ responses: [[[ScriptedServer.Step]]],
        _ seed: UInt64,
        _ generator: inout SeededGenerator,
        measured: (RelayTests.Site) -> Int = { $0.relayedCount }
    ) async throws -> Int {
        var requests = responses.map { _ in
            (0..<Int.random(in: 0...4, using: &generator)).map { _ in HostileHeads.pick(Self.requestFields, &generator) }
        }
        requests = requests.map { fields in fields.contains { $0.hasPrefix("Connection") } ? Array(Set(fields)) : fields }
        let asked = Mutex<[String: Int]>([:])
        let script = { @Sendable (target: String) -> [ScriptedServer.Step] in
            let number = Int(target.split(separator: "/")[0]) ?? 0
            let time = asked.withLock { times in
                times[target, default: 0] += 1
                return times[target, default: 0] - 1
            }
            return responses[number][min(time, responses[number].count - 1)]
        }
        let measurement = Mutex(0)
        try await RelayTests.withSite(script) { site in
            for number in responses.indices {
                var answers: [[String]] = []
                var sent: [[String]] = []
                // A field that the proxy drops, as its name has an underscore, is all that differs.
                for (way, extra) in [("bytes", ""), ("parsed", "Other_Way: 1\r\n")] {
                    // Leaves a connection to the server behind.
                    let client = try await site.client()
                    try await client.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
                    _ = try await client.receiveResponse()
                    let target = "/\(number)/\(way)"
                    do {
                        var answer: [String] = []
                        for _ in responses[number] {
                            try await client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\(requests[number].map { $0 + "\r\n" }.joined())\(extra)\r\n")
                            answer += Self.normalised(try await client.receiveResponse())
                        }
                        // The next request shows which part of it has been stored.
                        try await client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nCache-Control: only-if-cached\r\n\r\n")
                        answers.append(answer + Self.normalised(try await client.receiveResponse()))
                    } catch {
                        answers.append(["cut off"])
                    }
                    sent.append(site.allReceived(target).map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }.sorted())
                }
                #expect(answers[0] == answers[1], "seed \(seed), \(number): \(responses[number])")
                #expect(sent[0] == sent[1], "seed \(seed), \(number): \(requests[number])")
            }
            measurement.withLock { $0 = measured(site) }
        }
        return measurement.withLock { $0 }
    }

    /// The part of a response that must not depend on the way. Time stands still, so ages and dates are part of it.
    private static func normalised(_ response: RawResponse) -> [String] {
        let fields = response.fields.map { name, value in "\(name.lowercased()): \(value.trimmingCharacters(in: .whitespaces))" }
        return ["\(response.status)", response.content] + fields.sorted()
    }
}
