// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct HeadUpdateTests {
    private let rules = HTTPCacheRules(mode: .shared)

    private func update(_ stored: [String], _ answer: [String], status: Int = 200, storedStatus: Int = 200, length: Int? = 10) -> HeadUpdate {
        HeadUpdate(of: response(storedStatus, stored), completeLength: length, by: response(status, answer), responseTime: newYear2026, rules: rules)
    }

    private enum Verdict { case freshens, contradicts, saysNothing }

    private func verdict(_ update: HeadUpdate) -> Verdict {
        switch update {
        case .freshens: .freshens
        case .contradicts: .contradicts
        case .saysNothing: .saysNothing
        }
    }

    private static let modified = "Last-Modified: Wed, 31 Dec 2025 23:00:00 GMT"
    private static let later = "Last-Modified: Wed, 31 Dec 2025 23:00:01 GMT"

    @Test func freshensWhatAgrees() {
        for lines in [["ETag: \"a\""], [Self.modified], ["ETag: \"a\"", Self.modified], ["ETag: W/\"a\""]] {
            #expect(verdict(update(lines, lines)) == .freshens, "\(lines)")
            #expect(verdict(update(lines, lines + ["Content-Length: 10"])) == .freshens, "\(lines)")
            #expect(verdict(update(lines, lines + ["Content-Length: 10"], length: nil)) == .freshens, "\(lines)")
        }
        #expect(verdict(update(["ETag: W/\"a\""], ["ETag: \"a\""])) == .freshens)
        #expect(verdict(update([], ["Content-Length: 10"])) == .freshens)
    }

    @Test func contradictsWhatDiffers() {
        #expect(verdict(update(["ETag: \"a\""], ["ETag: \"b\""])) == .contradicts)
        #expect(verdict(update([Self.modified], [Self.later])) == .contradicts)
        #expect(verdict(update(["ETag: \"a\"", Self.modified], ["ETag: \"a\"", Self.later])) == .contradicts)
        #expect(verdict(update(["ETag: \"a\""], ["ETag: \"a\"", "Content-Length: 11"])) == .contradicts)
        #expect(verdict(update(["ETag: \"a\""], ["Content-Length: 11"])) == .contradicts)
        #expect(verdict(update([], ["Content-Length: 11"])) == .contradicts)
        #expect(verdict(update([], ["ETag: \"a\""])) == .contradicts)
    }

    @Test func saysNothingWithoutAnythingToCompare() {
        #expect(verdict(update([], [])) == .saysNothing)
        #expect(verdict(update(["ETag: \"a\""], [])) == .saysNothing)
        #expect(verdict(update(["ETag: \"a\""], ["Content-Length: 10"])) == .saysNothing)
        #expect(verdict(update(["ETag: \"a\"", Self.modified], ["ETag: \"a\""])) == .saysNothing)
        #expect(verdict(update(["ETag: \"a\""], ["ETag: \"a\"", "ETag: \"b\""])) == .saysNothing)
        #expect(verdict(update([], ["Content-Length: x"])) == .saysNothing)
    }

    @Test(arguments: [204, 206, 301, 304, 403, 404, 410, 500, 503])
    func saysNothingWithAnotherStatus(status: Int) {
        #expect(verdict(update(["ETag: \"a\""], ["ETag: \"b\""], status: status)) == .saysNothing)
        #expect(verdict(update(["ETag: \"a\""], ["ETag: \"a\""], storedStatus: status)) == .saysNothing)
    }

    @Test func takesTheFieldsOfTheAnswer() {
        let stored = [
            "ETag: \"a\"", "Cache-Control: max-age=2", "Template-A: 1", "Content-Length: 10", "Content-Encoding: gzip", "Age: 9", "Date: x",
        ]
        let answer = ["ETag: \"a\"", "Cache-Control: max-age=1000", "Content-Length: 10", "B: 2", "Connection: c", "C: 3"]
        guard case .freshens(let head) = update(stored, answer) else {
            Issue.record("does not freshen")
            return
        }
        #expect(
            Set(head.headerFields.lines)
                == [
                    "ETag: \"a\"", "Cache-Control: max-age=1000", "Template-A: 1", "Content-Length: 10", "Content-Encoding: gzip", "B: 2",
                    "Date: Thu, 01 Jan 2026 00:00:00 GMT",
                ]
        )
    }
}
