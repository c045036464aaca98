// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTPTestSupport
import Testing

@testable import HoardHTTP
@testable import HoardMessages

/// No field, of any content, takes time that grows faster than its length.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LinearTimeTests {
    /// A parser, and the text that is repeated to make its life hard.
    struct Hardship: Sendable, CustomTestStringConvertible {
        let name: String
        let unit: String
        let parse: @Sendable (String) -> Void

        init(_ name: String, _ unit: String, _ parse: @escaping @Sendable (String) -> Void) {
            self.name = name
            self.unit = unit
            self.parse = parse
        }

        var testDescription: String { "\(name) of \(unit)" }
    }

    @Test(arguments: hardships)
    func fourTimesTheInputTakesAboutFourTimesAsLong(hardship: Hardship) {
        let short = String(repeating: hardship.unit, count: 8_192 / hardship.unit.utf8.count)
        let long = String(repeating: short, count: 4)
        expectAboutLinear(hardship.testDescription, { hardship.parse(short) }, fourTimesAsMuch: { hardship.parse(long) })
    }

    /// Quadratic time would be 16 times as long. It is the time that this thread has computed, so that a busy machine does not matter.
    private func expectAboutLinear(_ name: String, _ work: () -> Void, fourTimesAsMuch: () -> Void) {
        var (shortest, shortestOfMore) = (UInt64.max, UInt64.max)
        for _ in 1...8 {
            shortest = min(shortest, Self.computingTime(of: work))
            shortestOfMore = min(shortestOfMore, Self.computingTime(of: fourTimesAsMuch))
            // A time below a tenth of a millisecond proves nothing.
            if shortestOfMore / 10 < max(shortest, 100_000) { return }
        }
        Issue.record("\(name): \(shortest) ns, and \(shortestOfMore) ns for four times as much")
    }

    /// In nanoseconds.
    private static func computingTime(of work: () -> Void) -> UInt64 {
        var (start, end) = (timespec(), timespec())
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
        work()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
        return UInt64(max(0, (end.tv_sec - start.tv_sec) * 1_000_000_000 + end.tv_nsec - start.tv_nsec))
    }

    static let hardships: [Hardship] = {
        var hardships: [Hardship] = []
        for unit in [",", "\"", "\\\"", "\"a\",", ";", "a;", "a=\"", "a=b,", "max-age=1,", "private=\"a,b\",", " ", "\t,", "W/\"", "0", "%"] {
            hardships.append(Hardship("Cache-Control", unit) { _ = CacheControl(response: [.cacheControl: $0]) })
            hardships.append(
                Hardship("CDN-Cache-Control", unit) { value in
                    _ = CacheControl(inForceFor: [.cdnCacheControl: value], rules: HTTPCacheRules(mode: .shared, targets: [.cdnCacheControl]))
                }
            )
            hardships.append(Hardship("Vary", unit) { _ = Vary([.vary: $0]) })
            hardships.append(Hardship("Accept-Language of a variant", unit) { _ = Vary([.acceptLanguage]).variantKey(for: [.acceptLanguage: $0]) })
            hardships.append(Hardship("Age", unit) { _ = ResponseAge.fieldValue(in: [.age: $0]) })
            hardships.append(Hardship("Cache-Tag", unit) { _ = CacheTags.tags(in: [.cacheTag: $0]) })
            hardships.append(Hardship("Surrogate-Key", unit) { _ = CacheTags.tags(in: [.surrogateKey: $0]) })
            hardships.append(Hardship("No-Vary-Search", unit) { _ = NoVarySearch([.noVarySearch: $0]) })
            hardships.append(Hardship("ETag", unit) { _ = EntityTag(Array($0.utf8)) })
            hardships.append(Hardship("Expires", unit) { _ = HTTPDate($0, now: newYear2026) })
            hardships.append(Hardship("Cache-Status", unit) { _ = CacheStatus(cacheName: $0, .hit, detail: $0).fieldValue })
        }
        for unit in ["1-2,", "-", ",", "0-0,", "-1,", "9", "5-,"] {
            hardships.append(Hardship("Range", unit) { _ = RangeRequest([.range: "bytes=\($0)"])?.resolved(completeLength: 1_000) })
            hardships.append(Hardship("Content-Range", unit) { _ = ContentRange([.contentRange: "bytes \($0)"]) })
        }
        for unit in ["/", "/.", "/..", "/a/..", "%", "%2e", "%2e/", "a", "?", "&", "a=b&", "+", "@", "://", "é"] {
            hardships.append(Hardship("URI", unit) { _ = TargetURI.normalized("http://example.com/\($0)") })
            hardships.append(Hardship("Location", unit) { _ = TargetURI(.test())?.resolving($0) })
            hardships.append(Hardship("Query", unit) { _ = NoVarySearch(text: "key-order")?.canonicalQuery($0) })
        }
        return hardships
    }()

    @Test(arguments: [HTTPField.Name.cacheControl, .vary, .age, .cacheTag, .setCookie])
    func fourTimesTheLinesOfOneFieldTakeAboutFourTimesAsLong(name: HTTPField.Name) {
        expectAboutLinear(
            "\(name)",
            Self.judging(Self.fields(1_000) { HTTPField(name: name, value: "a\($0)") }),
            fourTimesAsMuch: Self.judging(Self.fields(4_000) { HTTPField(name: name, value: "a\($0)") })
        )
    }

    /// Lists of names, and as many fields with other names.
    @Test(arguments: ["Connection: {}", "Vary: {}", "Cache-Tag: {}", "Cache-Control: no-cache=\"{}\"", "Cache-Control: private=\"{}\""])
    func fourTimesTheNamesAndFieldsTakeAboutFourTimesAsLong(line: String) {
        func fields(_ count: Int) -> HTTPFields {
            var fields = Self.fields(count) { number in HTTPField.Name("a\(number)").map { HTTPField(name: $0, value: "") } }
            let names = (0..<count).map { "b\($0)" }.joined(separator: ",")
            for field in response(200, line.replacing("{}", with: names)).headerFields { fields.append(field) }
            return fields
        }
        expectAboutLinear(line, Self.judging(fields(1_000)), fourTimesAsMuch: Self.judging(fields(4_000)))
    }

    private static func fields(_ count: Int, _ make: (Int) -> HTTPField?) -> HTTPFields {
        var fields = HTTPFields()
        for field in (0..<count).compactMap(make) { fields.append(field) }
        return fields
    }

    /// Everything that is done with the fields of a response before it is stored.
    private static func judging(_ fields: HTTPFields) -> () -> Void {
        let response = HTTPResponse(status: .ok, headerFields: fields)
        return {
            let rules = HTTPCacheRules(mode: .shared, targets: [.cdnCacheControl])
            let freshness = ResponseFreshness(of: response, requestTime: newYear2026, responseTime: newYear2026, rules: rules)
            _ = Storability(of: response, to: request(), freshness: freshness, rules: rules)
            _ = fields.removingFieldsNotStored(cacheControl: freshness.cacheControl, rules: rules)
            _ = Vary(fields).variantKey(for: fields)
            _ = CacheTags.tags(in: fields)
        }
    }
}
