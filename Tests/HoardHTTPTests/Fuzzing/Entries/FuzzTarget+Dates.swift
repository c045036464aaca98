// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardHTTPTestSupport

@testable import HoardHTTP
@testable import HoardMessages

extension FuzzTarget {
    /// Eight bytes of time, then a date as a field may have it.
    package static let dates = FuzzTarget(name: "dates") { bytes in
        var input = FuzzInput(bytes)
        let now = HTTPDate(secondsSince1970: Int64(truncatingIfNeeded: input.number()) % (HTTPDate.latest - HTTPDate.earliest) + HTTPDate.earliest)
        guard let date = HTTPDate(bytes: input.rest, now: now.date) else { return }
        try require((HTTPDate.earliest...HTTPDate.latest).contains(date.secondsSince1970), "The date is outside of the years that can be written.")
        try require(HTTPDate(date.date) == date, "The date does not survive the system's form.")
        let text = date.description
        try require(text.utf8.count == 29 && text.utf8.allSatisfy { $0 < 0x80 }, "The preferred form is not 29 bytes: \(text)")
        try require(HTTPDate(text, now: now.date) == date, "The preferred form is read as another date: \(text)")
        // Only a date with a two-digit year depends on now: RFC 9110 §5.6.7.
        let later = now.date.addingTimeInterval(86_400 * 365.25 * 30)
        if let other = HTTPDate(bytes: input.rest, now: later), other != date {
            let years = Double(other.secondsSince1970 - date.secondsSince1970) / (86_400 * 365.25)
            try require(abs(years).rounded() == 100, "Thirty years later the date is \(other).")
            try require(date.date.timeIntervalSince(now.date) <= 86_400 * 365.25 * 50 + 86_400 * 2, "A short year is more than fifty years ahead.")
        }
    }
}
