// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct StrongValidatorTests {
    private func validator(_ lines: String...) -> StrongValidator? { StrongValidator(of: fields(lines)) }

    @Test(
        arguments: [
            ("Wed, 31 Dec 2025 23:59:00 GMT", true), ("Wed, 31 Dec 2025 23:59:01 GMT", false), ("Thu, 01 Jan 2026 00:00:00 GMT", false),
            ("Thu, 01 Jan 2026 00:01:00 GMT", false), ("Wed Dec 31 23:00:00 2025", true), ("Wednesday, 31-Dec-25 23:00:00 GMT", true),
            ("yesterday", false),
            ("", false),
        ]
    )
    func trustsADateOnlyIfAMinuteLiesBetween(lastModified: String, isStrong: Bool) {
        #expect((validator("Last-Modified: \(lastModified)", "Date: Thu, 01 Jan 2026 00:00:00 GMT") != nil) == isStrong)
    }

    @Test func comparesDatesInAnyForm() {
        let date = "Date: Thu, 01 Jan 2026 00:00:00 GMT"
        #expect(validator("Last-Modified: Wed Dec 31 23:00:00 2025", date) == validator("Last-Modified: Wed, 31 Dec 2025 23:00:00 GMT", date))
    }

    @Test func needsADate() {
        #expect(validator("Last-Modified: Wed, 31 Dec 2025 23:00:00 GMT") == nil)
        #expect(validator("Last-Modified: Wed, 31 Dec 2025 23:00:00 GMT", "Date: x") == nil)
    }
}
