// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct ResponseAgeTests {
    @Test(
        arguments: [
            (["0"], 0), (["7200"], 7_200), (["007"], 7), (["7200, 0"], 7_200), (["7200", "0"], 7_200), (["0", "7200"], 0), (["0, 7200"], 0),
            (["0, 0"], 0),
            (["0", "0"], 0), (["3600", "3600"], 3_600), (["", "5"], 5), ([", 5"], 5), (["2147483647"], 2_147_483_647),
            (["2147483648"], 2_147_483_648),
            (["99999999999999999999"], 2_147_483_648), (["7200;foo=bar"], 7_200), (["7200;foo=111"], 7_200), (["7200 ; a"], 7_200),
        ] as [([String], Int64)]
    )
    func readsTheFirstMember(lines: [String], seconds: Int64) {
        #expect(ResponseAge.fieldValue(in: fields(lines.map { "Age: \($0)" })) == seconds)
    }

    @Test(arguments: [
        [], [""], [","], ["-7200"], ["7200.0"], ["+5"], ["abc"], ["5a"], ["0x5"], ["5 5"], ["\"5\""], ["abc, 5"], ["-1", "7200"], [";5"],
        ["\"7200,0"],
    ])
    func ignoresWhatIsNoNumber(lines: [String]) {
        let value = ResponseAge.fieldValue(in: fields(lines.map { "Age: \($0)" }))
        #expect(value == nil)
    }

    /// requestTime, responseTime and now are seconds after Date.
    @Test(
        arguments: [
            // Age, request, response, now, expected
            (nil, 0.0, 0.0, 0.0, 0.0),
            (nil, 0.0, 0.0, 100.0, 100.0),
            (nil, 10.0, 10.0, 10.0, 10.0),
            (nil, 10.0, 12.0, 20.0, 20.0),
            (Int64(30), 0.0, 0.0, 3.0, 33.0),
            (Int64(30), 0.0, 2.0, 3.0, 33.0),
            (Int64(5), 40.0, 40.0, 41.0, 41.0),
            (Int64(15), -10.0, -10.0, -10.0, 15.0),
            (nil, -100.0, -100.0, -40.0, 60.0),
            (nil, 0.75, 0.75, 1.0, 0.25),
            (nil, 0.0, 0.75, 1.0, 1.0),
            (nil, 5.0, 3.0, 1.0, 3.0),
            (DeltaSeconds.maximum, 0.0, 0.0, 1.0, 2_147_483_648.0),
        ] as [(Int64?, Double, Double, Double, Double)]
    )
    func addsUpTheAge(age: Int64?, requestTime: Double, responseTime: Double, now: Double, expected: Double) {
        var lines = ["Date: Thu, 01 Jan 2026 00:00:00 GMT"]
        if let age { lines.append("Age: \(age)") }
        let result = ResponseAge(
            of: response(200, lines),
            requestTime: newYear2026.addingTimeInterval(requestTime),
            responseTime: newYear2026.addingTimeInterval(responseTime)
        )
        #expect(abs(result.seconds(at: newYear2026.addingTimeInterval(now)) - expected) < 0.001)
    }

    @Test(arguments: ["Date: foo", "Date:", "Server: x"])
    func countsFromTheResponseTimeWithoutAValidDate(line: String) {
        let age = ResponseAge(of: response(200, line), requestTime: newYear2026, responseTime: newYear2026.addingTimeInterval(2))
        #expect(age.initialSeconds == 2)
        #expect(age.fieldValue(at: newYear2026.addingTimeInterval(5.9)) == "5")
    }

    @Test func isNeverNegativeWhenTheClockIsSetBack() {
        let age = ResponseAge(initialSeconds: 7, responseTime: newYear2026)
        #expect(age.seconds(at: newYear2026.addingTimeInterval(-1_000)) == 7)
        #expect(ResponseAge(initialSeconds: -7, responseTime: newYear2026).initialSeconds == 0)
        #expect(ResponseAge(initialSeconds: .nan, responseTime: newYear2026).initialSeconds == 0)
    }

    @Test func staysWithinItsLimitsAtTheEndsOfTime() {
        let ends = [Date(timeIntervalSince1970: -.infinity), Date(timeIntervalSince1970: .infinity), .distantPast, .distantFuture]
        for requestTime in ends {
            for responseTime in ends {
                let age = ResponseAge(
                    of: response(200, "Age: 2147483648", "Date: Thu, 01 Jan 2026 00:00:00 GMT"),
                    requestTime: requestTime,
                    responseTime: responseTime
                )
                for now in ends {
                    #expect((0...2_147_483_648).contains(age.seconds(at: now)))
                    #expect(Int64(age.fieldValue(at: now)) != nil)
                }
            }
        }
    }

    @Test func survivesRandomBytes() {
        var generator = TestGenerator()
        for _ in 0..<10_000 {
            var message = HTTPFields()
            message.append(HTTPField(name: .age, lenientValue: generator.bytes(upTo: 20, alphabet: "0123456789, ;-.")))
            if let seconds = ResponseAge.fieldValue(in: message) {
                #expect((0...DeltaSeconds.maximum).contains(seconds), "seed \(generator.seed)")
            }
        }
    }
}
