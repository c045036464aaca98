// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

@Suite("ReportText", .timeLimit(.minutes(5)))
struct ReportTextTests {
    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (12_345_678, "12,345,678"), (-1234, "-1,234"), (100_000, "100,000")])
    func threeDigitsAreAGroup(number: Int, text: String) {
        #expect(ReportText.grouped(number) == text)
    }

    @Test(arguments: [(0.0, "0"), (0.5, "0.5"), (4.25, "4.25"), (12, "12"), (1000, "1k"), (3_210_000, "3.21M"), (0.004, "0.004"), (100, "100")])
    func longNumbersAreShort(value: Double, text: String) {
        #expect(ReportText.short(value) == text)
    }

    @Test(arguments: [(0.0, "0.0 %"), (1, "100.0 %"), (0.123_45, "12.3 %"), (0.000_01, "< 0.1 %")])
    func ratiosAreInPercent(ratio: Double, text: String) {
        #expect(ReportText.percent(ratio) == text)
    }

    @Test(arguments: [(0.0, "0 B"), (512, "512 B"), (1536, "1.5 KiB"), (67_108_864, "64 MiB"), (1.5e18, "1.3 EiB")])
    func bytesHaveAUnit(bytes: Double, text: String) {
        #expect(ReportText.bytes(bytes) == text)
    }

    @Test(arguments: [(0.0, "0 ms"), (250, "250 ms"), (90_000, "1.5 min"), (259_200_000, "3 d"), (1000, "1 s")])
    func timesHaveAUnit(milliseconds: Double, text: String) {
        #expect(ReportText.duration(milliseconds) == text)
    }

    @Test func marksOfALinearScaleAreRound() {
        #expect(PlotAxis.linear("", upTo: 1234).ticks.map(\.value) == [0, 500, 1000])
        #expect(PlotAxis.linear("", upTo: 0.43, unit: 0.01) { ReportText.short($0) }.ticks.map(\.label) == ["0", "10", "20", "30", "40"])
        #expect(PlotAxis.linear("", upTo: 0).position(of: 0) == 0)
        #expect(PlotAxis.linear("", upTo: 10, headroom: 0.25).position(of: 10) == 0.8)
    }
}
