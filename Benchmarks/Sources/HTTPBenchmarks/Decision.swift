// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation
internal import HTTPTypes
internal import HoardHTTP
internal import NIOCore

/// Something that is done again and again, and measured.
struct Decision: Sendable {
    let name: String
    /// Does it so many times, and returns something that depends on all results.
    let run: @Sendable (Int) -> Int

    /// The baseline comes first: to copy the fields of the response and append two, which no answer can do without.
    static let all = [
        Decision(name: "copy the fields, append two") { count in
            loop(count) { number in
                var fields = origin.headerFields
                fields.append(HTTPField(name: .age, value: "5"))
                fields.append(HTTPField(name: .cacheStatus, value: "hoard; hit; ttl=\(number & 63)"))
                return fields.count
            }
        },
        Decision(name: "fresh hit") { count in
            loop(count) { _ in answer(to: request, now: fresh) }
        },
        Decision(name: "fresh hit, 304") { count in
            loop(count) { _ in answer(to: conditional, now: fresh) }
        },
        Decision(name: "fresh hit, range") { count in
            loop(count) { _ in answer(to: ranged, now: fresh) }
        },
        Decision(name: "stale, forwarded with validators") { count in
            loop(count) { _ in answer(to: request, now: stale) }
        },
        Decision(name: "miss and store") { count in
            loop(count) { _ in
                var machine = HTTPCacheStateMachine(request: request, hasContent: false, rules: rules)
                guard case .lookUp = machine.start(), case .forward = machine.lookedUp(nil, isVaryMiss: false, now: fresh),
                    case .deliverAndStore(let head, let storing, _) = machine.received(
                        origin,
                        bodyLength: 1_000,
                        requestTime: arrival,
                        responseTime: fresh
                    )
                else { return 0 }
                return head.headerFields.count + storing.response.statusCode
            }
        },
    ]

    private static func answer(to request: HTTPRequest, now: Date) -> Int {
        var machine = HTTPCacheStateMachine(request: request, hasContent: false, rules: rules)
        guard case .lookUp = machine.start() else { return 0 }
        switch machine.lookedUp(stored, isVaryMiss: false, now: now) {
        case .respond(let answer): return answer.head.headerFields.count
        case .respondAndRefresh: return 0
        case .forward(let forward): return forward.request.headerFields.count
        }
    }

    /// The decisions, timed in turn. Nothing is awaited in them.
    static let ways = Ways(title: "decision", cases: all.map(\.name), unit: .nanoseconds) { name, count in
        guard let decision = all.first(where: { $0.name == name }) else { fail("There is no decision \(name).") }
        let start = monotonicNanoseconds()
        _ = decision.run(count)
        return Double(monotonicNanoseconds() - start) / Double(count)
    }

    @inline(__always)
    private static func loop(_ count: Int, _ decide: (Int) -> Int) -> Int {
        var sum = 0
        for number in 0..<count { sum &+= decide(number) }
        return sum
    }
}

// MARK: Messages as browsers and servers send them

private let arrival = Date(timeIntervalSince1970: 1_767_225_600)
private let fresh = arrival.addingTimeInterval(5)
private let stale = arrival.addingTimeInterval(4_000)
private let rules = HTTPCacheRules(mode: .shared, targets: [.cdnCacheControl])

private let origin = HTTPResponse(
    status: .ok,
    headerFields: [
        .date: "Thu, 01 Jan 2026 00:00:00 GMT",
        .server: "origin/1.0",
        .contentType: "text/html; charset=utf-8",
        .contentLength: "1000",
        .lastModified: "Wed, 31 Dec 2025 00:00:00 GMT",
        .eTag: "\"5f3759df-86\"",
        .cacheControl: "public, max-age=3600, stale-if-error=86400",
        .vary: "Accept-Encoding",
        .contentEncoding: "gzip",
        .acceptRanges: "bytes",
        .strictTransportSecurity: "max-age=31536000",
        .xContentTypeOptions: "nosniff",
    ]
)

private let stored = StoredResponse(
    head: origin,
    body: StoredBody(ByteBuffer(repeating: 0x61, count: 1_000)),
    requestTime: arrival,
    responseTime: arrival,
    rules: rules
)

private let requestFields: HTTPFields = [
    .userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    .accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    .acceptLanguage: "fi,en;q=0.5",
    .acceptEncoding: "gzip, deflate, br, zstd",
    .referer: "https://example.com/",
    .cookie: "session=0123456789abcdef",
]

private let request = makeRequest([:])
private let conditional = makeRequest([.ifNoneMatch: "\"5f3759df-86\""])
private let ranged = makeRequest([.range: "bytes=100-199"])

private func makeRequest(_ more: HTTPFields) -> HTTPRequest {
    var request = HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/articles/1", headerFields: requestFields)
    for field in more { request.headerFields.append(field) }
    return request
}
