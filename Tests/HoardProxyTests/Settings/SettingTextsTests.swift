// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardProxy

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("30s", 30_000), ("5m", 300_000), ("1h30m", 5_400_000), ("250ms", 250), ("7d", 604_800_000), ("1d2h3m4s5ms", 93_784_005), ("0", 0), ("0s", 0),
        ("86400", 86_400_000), ("1s500ms", 1_500), ("90m", 5_400_000),
    ])
    func lengthsOfTimeAreRead(text: String, milliseconds: Int) {
        #expect(DurationText.duration(text) == .milliseconds(milliseconds))
    }

    @Test(arguments: ["", "s", "-1s", "1.5s", "1 s", "1x", "1m1h", "1s1s", "9999999999d", "99999999999999999999", "1h30", "٣s", "1S"])
    func otherTextsAreNone(text: String) {
        #expect(DurationText.duration(text) == nil)
    }

    @Test func whatIsWrittenIsReadBack() {
        for milliseconds in [0, 1, 999, 1_000, 59_999, 60_000, 3_600_001, 86_399_999, 86_400_000, 31_536_000_000_000] {
            let duration = Duration.milliseconds(milliseconds)
            #expect(DurationText.duration(DurationText.text(duration)) == duration)
        }
    }
}

@Suite struct SizeTextTests {
    @Test(arguments: [("0", 0), ("1000", 1_000), ("64K", 65_536), ("512MiB", 512 << 20), ("10G", 10 << 30), ("1tb", 1 << 40), ("5b", 5)])
    func numbersOfBytesAreRead(text: String, count: Int) {
        #expect(SizeText.byteCount(text) == count)
    }

    @Test(arguments: ["", "x", "-1", "1.5M", "1X", "99999999999999999999", "9999999999T", "1 k"]) func otherTextsAreNone(text: String) {
        #expect(SizeText.byteCount(text) == nil)
    }

    @Test func whatIsWrittenIsReadBack() {
        for count in [0, 1, 1_023, 1_024, 1_025, 64 << 20, 1 << 30, (1 << 30) + 1, 3 << 40, .max] {
            #expect(SizeText.byteCount(SizeText.text(count)) == count)
        }
        #expect(SizeText.text(64 << 20) == "64MiB")
    }
}

@Suite struct SpellingTests {
    @Test(arguments: [("lisen", "listen"), ("conect-timeout", "connect-timeout"), ("LIMITS", "limits"), ("uptsreams", "upstreams")])
    func theNearestNameIsFound(written: String, meant: String) {
        #expect(Spelling.nearest(to: written, among: ["listen", "upstreams", "routes", "limits", "connect-timeout"]) == meant)
    }

    @Test func whatResemblesNothingHasNoNearestName() {
        #expect(Spelling.nearest(to: "colour", among: ["listen", "upstreams"]) == nil)
    }

    @Test func distancesAreThoseOfDamerauAndLevenshtein() {
        for (left, right, distance) in [("", "", 0), ("a", "", 1), ("abc", "abc", 0), ("abc", "acb", 1), ("kitten", "sitting", 3), ("", "xyz", 3)] {
            #expect(Spelling.distance(left, right) == distance)
            #expect(Spelling.distance(right, left) == distance)
        }
    }
}
