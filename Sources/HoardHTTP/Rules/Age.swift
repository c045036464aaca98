// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The time since a response was generated, or since its origin last confirmed it.
///
/// `Date` and `Age` are in whole seconds, the clocks of this machine are finer; only times that come from them are not
/// whole. Whatever the messages and the clocks say, an age is never negative, and never more than
/// ``DeltaSeconds/maximum``.
///
/// [RFC 9111 §4.2.3](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.3)
package struct ResponseAge: Hashable, Sendable {
    /// `corrected_initial_age`: the age in seconds at ``responseTime``.
    package let initialSeconds: TimeInterval
    /// When the response arrived.
    package let responseTime: Date

    package init(initialSeconds: TimeInterval, responseTime: Date) {
        self.initialSeconds = initialSeconds.clampedToAge
        self.responseTime = responseTime
    }

    /// The age of a response that was asked for at `requestTime` and arrived at `responseTime`.
    package init(of response: HTTPResponse, requestTime: Date, responseTime: Date) {
        let fields = response.headerFields
        let generated = fields.date(of: .date, now: responseTime)?.date ?? responseTime
        // Date is rounded down by its sender, so a fraction of a second says nothing.
        let apparentAge = responseTime.timeIntervalSince(generated).rounded(.down).clampedToAge
        let responseDelay = responseTime.timeIntervalSince(requestTime).clampedToAge
        let correctedAge = TimeInterval(Self.fieldValue(in: fields) ?? 0) + responseDelay
        self.init(initialSeconds: max(apparentAge, correctedAge), responseTime: responseTime)
    }

    /// `current_age` in seconds.
    package func seconds(at now: Date) -> TimeInterval {
        (initialSeconds + now.timeIntervalSince(responseTime).clampedToAge).clampedToAge
    }

    /// The value of the `Age` field of a response taken from the cache: [RFC 9111 §5.1](https://www.rfc-editor.org/rfc/rfc9111#section-5.1).
    package func fieldValue(at now: Date) -> String {
        String(wholeSeconds(at: now))
    }

    /// `current_age` in whole seconds, as the `Age` field has it.
    package func wholeSeconds(at now: Date) -> Int64 {
        Int64(seconds(at: now))
    }

    /// The age that a message states, in seconds.
    ///
    /// The first member counts if there are several, in one line or in many. A value that is no number is ignored, with one exception on
    /// the safe side: of a number with parameters, `7200;a=b`, the number counts.
    ///
    /// [RFC 9111 §5.1](https://www.rfc-editor.org/rfc/rfc9111#section-5.1)
    package static func fieldValue(in fields: HTTPFields) -> Int64? {
        for line in fields.lines(of: .age) {
            for member in ListMembers(line) {
                return DeltaSeconds.parse(member.bytes.prefix { $0 != .semicolon }.trimmed)
            }
        }
        return nil
    }
}

extension TimeInterval {
    /// The interval, within the limits of an age. NaN counts as 0.
    fileprivate var clampedToAge: TimeInterval {
        self > 0 ? Swift.min(self, TimeInterval(DeltaSeconds.maximum)) : 0
    }
}
