// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import HoardSimulator

@Suite("AccessTraceFormat", .timeLimit(.minutes(5)))
struct AccessTraceFormatTests {
    let directory: TraceDirectory

    init() throws {
        directory = try TraceDirectory()
    }

    @Test func everyFormatIsFoundByItsName() {
        #expect(AccessTraceFormat.all.map { AccessTraceFormat(name: $0.name) } == AccessTraceFormat.all)
        #expect(AccessTraceFormat(name: "Access-Log") == .accessLog)
        #expect(AccessTraceFormat(name: "csv") == nil)
        #expect(Set(AccessTraceFormat.all.map(\.description)).count == AccessTraceFormat.all.count)
    }

    @Test(
        arguments: [
            ("1 2 3 4\n", "a.arc", .arc), ("1 2 3 4\n", "a.lis.gz", .arc), ("1 2 3 4\n", "a.arc.zst", .arc), ("1\n*\n", "a.lirs", .lirs),
            ("*\n1\n", "a.trc.gz", .lirs),
            ("1 2\n", "arc", .text), ("1 2\n", "a.arc.txt", .text), ("{\"a\":1}\n", "a.arc", .jsonLog), ("\n  \n  {}", "-", .jsonLog),
            ("", "a.arc", .text),
            ("# key, size\n1 2\n", "a.txt", .text), ("# time, key\n1,2\n", "a.txt", .libCacheSimCSV), ("[22/Nov/2026", "a", .text),
            ("x [22/Nov/2026:0", "a", .accessLog),
            ("time,key\n", "a", .libCacheSimCSV), ("1,2,3\n", "a", .libCacheSimCSV), ("1,\n", "a", .text), ("a,b\n", "a", .text),
            ("1,a,2,3,4,set,5\n", "a", .twitter),
            ("a,GET,1,2,3\n", "a", .cacheLib), ("a,SET_LEASE,1,2,3\n", "a", .cacheLib), ("key,op,size,op_count\n", "a", .cacheLib),
            ("timestamp,cacheKey,OpType\n", "a", .cacheLibCDN), ("1,a,1,5,5,0,-1,-1,0,1,0,0,1,-,1\n", "a", .cacheLibCDN),
        ] as [(String, String, AccessTraceFormat)]
    )
    func theFirstLineTellsTheFormatAndTheNameDecidesWhereItDoesNot(text: String, path: String, format: AccessTraceFormat) {
        #expect(TraceDetector.format(of: Array(text.utf8), path: path) == format)
    }

    @Test func aGivenFormatCounts() throws {
        #expect(try directory.requests(in: "1 2\n", as: .arc).requests.map(\.key) == [1, 2])
        #expect(try directory.error(in: "1,2,3\n", as: .text).line == 1)
        let reader = try AccessTraceReader(path: directory.write("1\n".utf8), format: .lirs)
        #expect(reader.format == .lirs)
    }

    @Test(arguments: AccessTraceFormat.all)
    func randomBytesNeverCrash(format: AccessTraceFormat) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let text = Self.nonsense(using: &generator)
            let path = try directory.write(text)
            let cut = Int.random(in: 1...40, using: &generator)
            let whole = Result { try requests(of: path, as: format) }
            let parts = Result { try requests(of: path, as: format, partByteCount: cut) }
            let automatic = Result { try requests(of: path, partByteCount: cut) }
            #expect(Self.summary(whole) == Self.summary(parts), "seed \(seed), parts of \(cut) bytes")
            #expect(!Self.summary(automatic).isEmpty)
        }
    }

    /// Random bytes that look in many places like one of the formats.
    private static func nonsense(using generator: inout SeededGenerator) -> [UInt8] {
        let pieces = [
            "1", "23", " ", ",", "\n", "\r\n", "\"", "\\", "[22/Nov/2026:02:13:31 +0000]", "GET /a HTTP/1.1", "\"GET / HTTP/1.1\" 200 5", "{", "}",
            "{\"request\":", "\"uri\":\"/x\"",
            "\"status\":200", "\"method\":\"GET\",", ":", "*", "get", "SET", "1,GET,2,3,4\n", "0,k,1,2,3,get,0\n",
            "1,k,1,5,5,0,-1,-1,0,1,0,0,1,-,1\n", "#", "-", ".", "\\u12",
            "9999999999999999999999", "\t", "a - - ",
            "\u{0}", "é", "time,key,size\n", "2026-11-22T02:13:31.5Z", "\"ts\":", "[", "]",
        ]
        var text: [UInt8] = []
        for _ in 0..<Int.random(in: 0...60, using: &generator) {
            if Int.random(in: 0..<10, using: &generator) == 0 {
                text.append(UInt8.random(in: 0...255, using: &generator))
            } else {
                text += Array(pieces[Int.random(in: 0..<pieces.count, using: &generator)].utf8)
            }
        }
        return text
    }

    private static func summary(_ result: Result<(requests: [AccessRequest], skippedCount: Int, format: AccessTraceFormat?), any Error>) -> String {
        switch result {
        case .success(let trace): "\(trace.requests) \(trace.skippedCount)"
        case .failure(let error): "\(error)"
        }
    }

    @Test func datesAreThoseOfTheCalendar() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        for _ in 0..<500 {
            let milliseconds = UInt64.random(in: 86_400_000...4_000_000_000_000, using: &generator)
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
            formatter.timeZone = TimeZone(secondsFromGMT: Int.random(in: -46...46, using: &generator) * 900)
            for (pattern, isISO) in [("dd/MMM/yyyy:HH:mm:ss Z", false), ("yyyy-MM-dd'T'HH:mm:ssXXX", true), ("yyyy-MM-dd HH:mm:ssZ", true)] {
                formatter.dateFormat = pattern
                let text = formatter.string(from: date)
                let bytes = Array(text.utf8)
                let read = isISO ? LogDate.iso(bytes.span, 0..<bytes.count) : LogDate.common(bytes.span, 0..<bytes.count)
                #expect(read == milliseconds / 1_000 * 1_000, "\(text), seed \(seed)")
            }
        }
    }

    @Test(arguments: ["2026-11-22T02:13:31.5Z", "2026-11-22T02:13:31.5004+00:00", "2026-11-22 02:13:31,500"])
    func fractionsOfSecondsAreRead(text: String) {
        let bytes = Array(text.utf8)
        #expect(LogDate.iso(bytes.span, 0..<bytes.count) == 1_795_313_611_500)
    }

    @Test func valuesOfKeysAreRememberedUntilOthersTakeTheirPlace() {
        var values = RecentValues<UInt64>(slotLimit: 16)
        #expect(values[0] == nil)
        for key in UInt64(0)..<200 {
            values[key] = key * 2
            #expect(values[key] == key * 2)
        }
        let known = (UInt64(0)..<200).filter { values[$0] != nil }
        #expect(known.count == 16)
        #expect(known.allSatisfy { values[$0] == $0 * 2 })
    }
}
