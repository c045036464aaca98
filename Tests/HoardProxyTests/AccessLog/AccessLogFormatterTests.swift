// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardTesting
import NIOCore
import NIOHTTP1
import Testing

@testable import HoardProxy

@Suite("AccessLogFormatter")
struct AccessLogFormatterTests {
    private func full() -> ExchangeReport {
        ExchangeReport(
            request: .bytes(
                ByteBuffer(
                    string: "GET /a?b=c HTTP/1.1\r\nHost: example.com\r\nCookie: id=secret\r\nAuthorization: Bearer secret\r\n"
                        + "REFERER:\thttp://example.com/start \r\nUser-Agent: Agent/1.0 (X; Y)\r\n\r\n"
                )
            ),
            version: .http1_1,
            isSecure: true,
            remoteAddress: "192.0.2.7",
            status: 200,
            contentByteCount: 1_234,
            receivedByteCount: 56,
            isComplete: true,
            timeToFirstByte: .nanoseconds(123_456),
            duration: .seconds(2) + .microseconds(5),
            note: ExchangeNote(AnswerReport(.miss, tier: .origin, originDuration: .milliseconds(30)))
        )
    }

    @Test func aCombinedLineHasTheCachesStatusAndTheTimesBehindIt() {
        #expect(
            line(full(), .combined)
                == #"192.0.2.7 - - [14/Nov/2023:22:13:20 +0000] "GET /a?b=c HTTP/1.1" 200 1234 "http://example.com/start" "Agent/1.0 (X; Y)" miss origin 0.000123 2.000005 56"#
        )
    }

    @Test func aJSONLineHasNames() {
        #expect(
            line(full(), .json)
                == #"{"time":"2023-11-14T22:13:20.250Z","remoteAddress":"192.0.2.7","method":"GET","target":"/a?b=c","host":"example.com","version":"1.1","secure":true,"status":200,"#
                + #""bytes":1234,"receivedBytes":56,"complete":true,"referrer":"http://example.com/start","userAgent":"Agent/1.0 (X; Y)","cache":"miss","tier":"origin","originSeconds":0.030000,"#
                + #""firstByteSeconds":0.000123,"seconds":2.000005}"#
        )
    }

    @Test func whatIsMissingIsADashOrAbsent() {
        var refused = report(.invalid, status: 400, bytes: 0, outcome: nil)
        refused.remoteAddress = ""
        refused.isComplete = false
        #expect(line(refused, .combined) == #"- - - [14/Nov/2023:22:13:20 +0000] "-" 400 0 "-" "-" - - 0.000010 0.000020 0"#)
        #expect(
            line(refused, .json)
                == #"{"time":"2023-11-14T22:13:20.250Z","version":"1.1","secure":false,"status":400,"bytes":0,"receivedBytes":0,"complete":false,"firstByteSeconds":0.000010,"seconds":0.000020}"#
        )
    }

    @Test(arguments: AnswerReport.Outcome.allCases)
    func outcomesAndTiersHaveTheNamesOfTheStatistics(outcome: AnswerReport.Outcome) {
        for tier in AnswerReport.Tier.allCases {
            let end = " \(outcome) \(tier == .none ? "-" : "\(tier)") 0.000010 0.000020 0"
            #expect(line(report(outcome: outcome, tier: tier), .combined).hasSuffix(end))
            #expect(line(report(outcome: outcome, tier: tier), .json).contains(#""cache":"\#(outcome)","tier":"\#(tier)""#))
        }
    }

    @Test func requestsThatCameParsedAreWrittenAlike() {
        var head = HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/a?b=c")
        head.headerFields[.cookie] = "id=secret"
        head.headerFields[.authorization] = "Bearer secret"
        head.headerFields[.referer] = "http://example.com/start"
        head.headerFields[.userAgent] = "Agent/1.0 (X; Y)"
        var parsed = full()
        parsed.request = .head(head)
        #expect(line(parsed, .combined) == line(full(), .combined))
        #expect(line(parsed, .json) == line(full(), .json))
        parsed.version = HTTPVersion(major: 2, minor: 0)
        #expect(line(parsed, .combined).contains(#""GET /a?b=c HTTP/2.0""#))
    }

    @Test func whatAClientSendsCannotEndALineOrAField() {
        let evil = "a\" 200 5 \"x\\\u{1B}[31m\u{7F}é\u{2028}"
        let head =
            Array("GET /\(evil.replacingOccurrences(of: " ", with: "")) HTTP/1.1\r\nUser-Agent: \(evil)".utf8) + [0xFF, 0xC3, 0x28, 0x00, 0x0B]
            + Array("\r\nReferer: x\rINJECTED\r\n\r\n".utf8)
        let evilReport = report(.bytes(ByteBuffer(bytes: head)))
        let combined = line(evilReport, .combined)
        #expect(combined.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        #expect(combined.contains(#""a\x22 200 5 \x22x\x5C\x1B[31m\x7F\xC3\xA9\xE2\x80\xA8\xFF\xC3(\x00\x0B""#))
        #expect(combined.contains(#""x\x0DINJECTED""#))
        #expect(combined.count { $0 == "\"" } == 6)
        let json = line(evilReport, .json)
        #expect(json.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        #expect(json.contains(#""userAgent":"a\" 200 5 \"x\\\u001B[31m\u007F\u00E9\u2028\uFFFD\uFFFD(\u0000\u000B""#))
    }

    private struct Line: Decodable {
        var remoteAddress: String?
        var target: String?
        var userAgent: String?
        var referrer: String?
        var status: Int
    }

    @Test func anyBytesGiveOneLineThatCanBeRead() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let combined =
            #/(\S+) - - \[[^\]]+\] "((?:[^"\\]|\\x[0-9A-F]{2})*)" (\d+) (\d+) "((?:[^"\\]|\\x[0-9A-F]{2})*)" "((?:[^"\\]|\\x[0-9A-F]{2})*)" (\S+) (\S+) \d+\.\d{6} \d+\.\d{6} \d+/#
        for _ in 0..<300 {
            func noise() -> [UInt8] {
                (0..<Int.random(in: 0...30, using: &generator)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.filter { $0 != 0x0A }
            }
            let (target, agent) = (noise().filter { $0 != 0x20 }, noise())
            var strange = report(
                .bytes(ByteBuffer(bytes: Array("GET /".utf8) + target + Array(" HTTP/1.1\r\nUser-Agent:".utf8) + agent + Array("\n\r\n".utf8)))
            )
            strange.remoteAddress = String(decoding: noise().filter { $0 != 0x20 }, as: UTF8.self)
            let text = line(strange, .combined)
            #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "seed \(seed)")
            #expect(text.wholeMatch(of: combined) != nil, "seed \(seed): \(text)")
            let decoded = try JSONDecoder().decode(Line.self, from: Data(line(strange, .json).utf8))
            #expect(decoded.target == String(decoding: Array("/".utf8) + target, as: UTF8.self), "seed \(seed)")
            #expect(decoded.status == 200)
        }
    }

    @Test func longTextsAreCutAndSaySo() throws {
        let long = String(repeating: "x", count: 10_000)
        let cut = report("GET /\(long) HTTP/1.1\r\nHost: \(long)\r\nReferer: \(long)\r\nUser-Agent: \(long)\r\n\r\n")
        let text = line(cut, .combined)
        #expect(text.contains("\"GET /" + String(repeating: "x", count: 4_095) + "... HTTP/1.1\""))
        #expect(text.contains("\"" + String(repeating: "x", count: 1_024) + "...\""))
        #expect(text.contains("\"" + String(repeating: "x", count: 512) + "...\""))
        #expect(line(cut, .json).utf8.count < 6_500)
        #expect(try JSONDecoder().decode(Line.self, from: Data(line(cut, .json).utf8)).target?.utf8.count == 4_099)
    }

    @Test func credentialsNeverComeIntoTheRing() {
        var bytes: [UInt8] = []
        var record = AccessLogRecord(full(), time: 0)
        record.copyTexts(of: full(), to: &bytes)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
        #expect(bytes.count == record.byteCount)
    }

    @Test func ofAFieldThatIsRepeatedTheFirstIsWritten() {
        let twice = report("GET / HTTP/1.1\r\nUser-Agent: one\r\nUser-Agent: two\r\n\r\n")
        #expect(line(twice, .combined).contains("\"one\""))
    }

    @Test func datesAreThoseOfTheSystemsCalendar() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var calendar = AccessLogCalendar()
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        for _ in 0..<500 {
            let second = Int.random(in: 0...253_402_300_799, using: &generator)
            let date = Date(timeIntervalSince1970: Double(second))
            formatter.dateFormat = "dd/MMM/yyyy:HH:mm:ss '+0000'"
            #expect(String(decoding: calendar.commonTime(Double(second) + 0.9), as: UTF8.self) == formatter.string(from: date), "seed \(seed)")
            formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss"
            let iso = String(decoding: calendar.isoTime(Double(second) + 0.5), as: UTF8.self)
            #expect(iso == formatter.string(from: date) + ".500Z", "seed \(seed)")
        }
        #expect(String(decoding: calendar.commonTime(-5), as: UTF8.self) == "01/Jan/1970:00:00:00 +0000")
        #expect(String(decoding: calendar.isoTime(1e300), as: UTF8.self) == "9999-12-31T23:59:59.999Z")
    }

    @Test func missingLinesHaveALineOfTheSameForm() throws {
        var bytes: [UInt8] = []
        var combined = AccessLogFormatter(.combined)
        combined.writeMissing(12, time: 1_700_000_000, to: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "- - - [14/Nov/2023:22:13:20 +0000] \"-\" 0 0 \"-\" \"hoard: 12 lines are missing here\" - - 0.000000 0.000000 0\n"
        )
        bytes = []
        var json = AccessLogFormatter(.json)
        json.writeMissing(12, time: 1_700_000_000, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "{\"time\":\"2023-11-14T22:13:20.000Z\",\"missingLines\":12}\n")
    }
}
