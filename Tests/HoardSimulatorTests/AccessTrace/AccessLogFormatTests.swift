// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

@Suite("AccessLogFormat", .timeLimit(.minutes(5)))
struct AccessLogFormatTests {
    let directory: TraceDirectory

    init() throws {
        directory = try TraceDirectory()
    }

    /// A line of the common format, with more behind it.
    private func line(
        _ request: String,
        _ status: Int = 200,
        _ bytes: String = "100",
        date: String = "22/Nov/2026:02:13:31 +0000",
        _ more: String = ""
    ) -> String {
        "192.0.2.7 - - [\(date)] \"\(request)\" \(status) \(bytes)\(more)\n"
    }

    /// The one request of a line.
    private func request(_ line: String) throws -> AccessRequest {
        let (requests, _, format) = try directory.requests(in: line)
        #expect(format == .accessLog)
        try #require(requests.count == 1)
        return requests[0]
    }

    @Test func theCommonAndTheCombinedFormatAreRead() throws {
        let common = try request(line("GET /a/b?c=d HTTP/1.1", 200, "1234"))
        #expect(common.size == 1_234)
        #expect(common.time == 0)
        #expect(common.group != nil)
        #expect(common.cost == nil)
        #expect(common.wasHit == nil)
        #expect(try request(line("GET /a/b?c=d HTTP/1.1", 200, "1234", " \"http://x/\" \"Agent/1.0 (X; Y)\"")) == common)
        #expect(try request("::1 - [me] you [22/Nov/2026:02:13:31 +0000] \"GET /a/b?c=d HTTP/2.0\" 200 1234\r\n") == common)
    }

    @Test func keysAreTheTargetWithItsQueryAndGroupsItsFirstPart() throws {
        let targets = ["/a/b", "/a/c", "/a/b?x=1", "/a", "/b", "/", "/a?x"]
        let (requests, skipped, _) = try directory.requests(in: targets.map { line("GET \($0) HTTP/1.1") }.joined())
        #expect(skipped == 0)
        #expect(Set(requests.map(\.key)).count == targets.count)
        let groups = requests.map(\.group)
        #expect(groups[0] == groups[1] && groups[0] == groups[2] && groups[0] == groups[3] && groups[0] == groups[6])
        #expect(Set(groups).count == 3)
    }

    @Test func headSharesTheKeyOfGet() throws {
        let lines = line("HEAD /a HTTP/1.1", 200, "0") + line("GET /a HTTP/1.1", 200, "700") + line("HEAD /a HTTP/1.1", 200, "0")
        let (requests, _, _) = try directory.requests(in: lines)
        #expect(Set(requests.map(\.key)).count == 1)
        #expect(requests.map(\.size) == [nil, 700, 700])
    }

    @Test func anAnswerThatTellsNoSizeHasTheLastKnownOne() throws {
        let lines =
            line("GET /a HTTP/1.1", 304, "0") + line("GET /a HTTP/1.1", 200, "500") + line("GET /b HTTP/1.1", 304, "-")
            + line("GET /a HTTP/1.1", 206, "9")
            + line("GET /a HTTP/1.1", 304, "-") + line("GET /a HTTP/1.1", 200, "-") + line("GET /a HTTP/1.1", 200, "600")
        #expect(try directory.requests(in: lines).requests.map(\.size) == [nil, 500, nil, 500, 500, 500, 600])
    }

    @Test func hostsSeparateKeys() throws {
        let lines = ["a.example:443", "b.example:443"].map { "\($0) \(line("GET /x HTTP/1.1"))" }.joined()
        let (requests, _, _) = try directory.requests(in: lines)
        #expect(Set(requests.map(\.key)).count == 2)
        #expect(Set(requests.map(\.group)).count == 1)
        let absolute = try directory.requests(in: line("GET http://a.example:443/x HTTP/1.1")).requests
        #expect(absolute.first?.key == requests.first?.key)
        #expect(absolute.first?.group == requests.first?.group)
    }

    @Test(arguments: [
        "POST /a HTTP/1.1", "OPTIONS * HTTP/1.1", "get /a HTTP/1.1", "-", "", #"\x16\x03\x01\x02"#, #"\x16\x03 \" x"#, "GET",
        "CONNECT a:443 HTTP/1.1", "PRI * HTTP/2.0",
    ])
    func linesThatAreNoRequestsToSimulateAreCounted(request: String) throws {
        let (requests, skipped, _) = try directory.requests(
            in: line(request, 400, "0") + line("GET /a HTTP/1.1") + line(request, 200, "150", " \"-\" \"-\"")
        )
        #expect(requests.count == 1)
        #expect(skipped == 2)
    }

    @Test func aLineWithoutAStatusIsCounted() throws {
        let (requests, skipped, _) = try directory.requests(
            in: line("GET /a HTTP/1.1") + "a - - [22/Nov/2026:02:13:31 +0000] \"GET / HTTP/1.1\" - -\n"
        )
        #expect(requests.count == 1)
        #expect(skipped == 1)
    }

    @Test func statusesThatCachesStoreCount() throws {
        let statuses = Array(100...599)
        let (requests, skipped, _) = try directory.requests(in: statuses.map { line("GET /\($0) HTTP/1.1", $0) }.joined())
        #expect(requests.count == 13)
        #expect(skipped == statuses.count - 13)
    }

    @Test func timesCountFromTheFirstRequest() throws {
        let dates = [
            "22/Nov/2026:02:13:31 +0000", "22/Nov/2026:02:13:32 +0000", "22/Nov/2026:03:13:32 +0100", "22/Nov/2026:02:13:30 +0000",
            "01/Mar/2028:00:00:00 +0000",
        ]
        let (requests, _, _) = try directory.requests(in: dates.map { line("GET /a HTTP/1.1", date: $0) }.joined())
        #expect(requests.map(\.time) == [0, 1_000, 1_000, 0, 40_167_989_000])
    }

    @Test(
        arguments: [
            (#" "-" "curl" HIT"#, true, nil), (#" "-" "curl" "-" 0.250 0.200 MISS"#, false, 250_000), (#" "HIT" "HIT" - 0.001"#, nil, 1_000),
            (#" "-" "-" rt=0.005 uct="0.000" cs=EXPIRED"#, false, 5_000), (#" "-" "-" cs="UPDATING" 1.5"#, true, nil),
            (#" "-" "-" bypass origin 0.000123 2.000005 56"#, nil, 123),
            (#" "-" "-" staleHit memory 0.000010 0.000020 0"#, true, nil), (#" "-" "-" 12 1.2.3.4 abc"#, nil, nil),
            (#" "-" "-" 9999.9"#, nil, 4_294_967_294),
            (#" "-" "a\"b HIT" MISS"#, false, nil), (#" "-" "broken"#, nil, nil),
        ] as [(String, Bool?, UInt32?)]
    )
    func cacheStatusesAndDurationsBehindTheAgentAreRead(more: String, wasHit: Bool?, cost: UInt32?) throws {
        let request = try request(line("GET /a HTTP/1.1", 200, "1", more))
        #expect(request.wasHit == wasHit)
        #expect(request.cost == cost)
    }

    @Test func hoardsOwnLogIsRead() throws {
        let lines = """
            192.0.2.7 - - [14/Nov/2023:22:13:20 +0000] "GET /a?b=c HTTP/1.1" 200 1234 "http://example.com/start" "Agent/1.0 (X; Y)" miss origin 0.000123 2.000005 56
            - - - [14/Nov/2023:22:13:20 +0000] "-" 400 0 "-" "-" - - 0.000010 0.000020 0
            - - - [14/Nov/2023:22:13:21 +0000] "-" 0 0 "-" "hoard: 3 lines are missing here" - - 0.000000 0.000000 0
            192.0.2.7 - - [14/Nov/2023:22:13:22 +0000] "GET /a?b=c HTTP/2.0" 304 0 "-" "-" validatedHit store 0.000123 2.000005 56

            """
        let (requests, skipped, _) = try directory.requests(in: lines)
        #expect(skipped == 2)
        try #require(requests.count == 2)
        #expect(requests[0].key == requests[1].key)
        #expect(requests.map(\.wasHit) == [false, true])
        #expect(requests.map(\.cost) == [123, nil])
        #expect(requests.map(\.size) == [1_234, 1_234])
        #expect(requests.map(\.time) == [0, 2_000])
    }

    @Test(arguments: [
        "nothing", "a - - [x] \"GET / HTTP/1.1\" 200 1", "a - - [22/Nov/2026:02:13:31 +0000",
        "a - - [22/Foo/2026:02:13:31 +0000] \"GET / HTTP/1.1\" 200 1", "a - - [22/Nov/2026] \"GET / HTTP/1.1\" 200 1",
        "a - - [22/Nov/2026:02:13:31 +0000] GET / 200 1", "a - - [22/Nov/2026:02:13:31 +0000] \"GET / 200 1",
        "a - - [22/Nov/2026:02:13:31 +0000] \"GET / HTTP/1.1\"", "a - - [22/Nov/2026:02:13:31 +0000] \"GET / HTTP/1.1\" x 1",
        "a - - [22/Nov/2026:02:13:31 +0000] \"GET / HTTP/1.1\" 200", "a - - [22/Nov/2026:02:13:31 +0000] \"GET / HTTP/1.1\" 200 x",
        "a - - [22/Nov/2026:02:13:31 +0000] \"GET / HTTP/1.1\" 200 \"-\" \"-\"",
    ])
    func aLineThatDoesNotFitIsCounted(text: String) throws {
        let (requests, skipped, _) = try directory.requests(in: line("GET /a HTTP/1.1") + text + "\n" + line("GET /b HTTP/1.1"))
        #expect(requests.count == 2)
        #expect(skipped == 1)
    }

    @Test(arguments: [
        "john doe", "a [b] \"c", "[1", "[22/Nov/2026:02:13:30 +0000]", "x [22/Nov/2026:02:13:30 +0000] y",
        #"x [22/Nov/2026:02:13:30 +0000] \x22GET /b HTTP/1.1\x22 404 5"#, #"x [22/Nov/2026:02:13:30 +0000] "GET /b HTTP/1.1 y"#,
    ])
    func aUsersNameMayHaveSpacesQuotesAndBrackets(name: String) throws {
        let plain = "192.0.2.7 - - [22/Nov/2026:02:13:31 +0000] \"GET /a HTTP/1.1\" 200 100\n"
        for host in ["", "a.example:443 "] {
            let named = host + plain.replacing("- - ", with: "- \(name) ", maxReplacements: 1)
            let (requests, skipped, _) = try directory.requests(in: host + plain + named, as: .accessLog)
            #expect(requests.count == 2 && Set(requests).count == 1, "\(named)")
            #expect(skipped == 0)
        }
    }

    @Test func aLogWithoutRequestsSaysHowMuchWasSkipped() throws {
        let error = try directory.error(in: line("POST /a HTTP/1.1") + line("-", 400))
        #expect(error.code == .empty)
        #expect(error.message.hasSuffix("holds no requests to simulate; lines that were skipped: 2."))
    }
}
