// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct IfRangeTests {
    private func isMet(_ value: String, _ stored: String...) -> Bool? { IfRange(fields("If-Range: \(value)"))?.isMet(by: fields(stored)) }

    @Test(
        arguments: [
            ("\"a\"", "\"a\"", true), ("\"a\"", "\"b\"", false), ("W/\"a\"", "W/\"a\"", false), ("\"a\"", "W/\"a\"", false),
            ("W/\"a\"", "\"a\"", false),
            ("\"a\", \"b\"", "\"a\"", false), ("*", "\"a\"", false), ("a", "a", false), ("", "\"a\"", false), (" \"a\" ", "\"a\"", true),
        ]
    )
    func comparesTagsStrongly(value: String, stored: String, expected: Bool) {
        #expect(isMet(value, "ETag: \(stored)") == expected)
    }

    @Test(
        arguments: [
            ("Wed, 31 Dec 2025 23:00:00 GMT", true), ("Wednesday, 31-Dec-25 23:00:00 GMT", true), ("Wed Dec 31 23:00:00 2025", true),
            ("Wed, 31 Dec 2025 23:00:01 GMT", false), ("Wed, 31 Dec 2025 22:59:59 GMT", false), ("Fri, 01 Jan 2027 00:00:00 GMT", false),
            ("x", false),
        ]
    )
    func comparesDatesExactly(value: String, expected: Bool) {
        #expect(isMet(value, "Last-Modified: Wed, 31 Dec 2025 23:00:00 GMT", "Date: Thu, 01 Jan 2026 00:00:00 GMT") == expected)
    }

    @Test func trustsNoDateThatIsWeak() {
        let value = "Wed, 31 Dec 2025 23:59:30 GMT"
        #expect(isMet(value, "Last-Modified: \(value)", "Date: Thu, 01 Jan 2026 00:00:00 GMT") == false)
        #expect(isMet(value, "Last-Modified: \(value)") == false)
    }

    @Test func isNeverMetIfItContradictsItselfOrNothingIsStored() {
        #expect(IfRange(HTTPFields()) == nil)
        #expect(IfRange(fields("If-Range: \"a\"", "If-Range: \"b\""))?.isMet(by: fields("ETag: \"a\"")) == false)
        #expect(isMet("\"a\"") == false)
        #expect(isMet("Wed, 31 Dec 2025 23:00:00 GMT") == false)
        #expect(isMet("\"a\"", "ETag: \"a\"", "ETag: \"b\"") == false)
    }
}
