// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

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
