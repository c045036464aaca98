// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HoardSimulator

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("MissRatioPlot", .timeLimit(.minutes(5)))
struct MissRatioPlotTests {
    private func results(_ trace: String, capacities: [Int] = [10, 100, 1000]) -> [SimulationResult] {
        capacities.flatMap { capacity in
            [SimulationPolicy.lru, .opt].map {
                SimulationResult(trace: trace, capacity: capacity, policy: $0, requests: 100, hits: $0 == .lru ? 25 : 75)
            }
        }
    }

    /// The number of times that a text is found in another.
    private func occurrences(of part: String, in text: String) -> Int {
        text.components(separatedBy: part).count - 1
    }

    @Test func eachTraceHasAPanelAndEachPolicyACurve() {
        let svg = MissRatioPlot([results("first"), results("second")]).svg
        #expect(svg.contains(">first</text>"))
        #expect(svg.contains(">second</text>"))
        #expect(occurrences(of: #"<polyline class="curve lru""#, in: svg) == 2)
        #expect(occurrences(of: #"<polyline class="curve opt""#, in: svg) == 2)
        #expect(!svg.contains(#"<polyline class="curve arc""#))
        // The legend names each policy once.
        #expect(occurrences(of: ">lru</text>", in: svg) == 1)
        #expect(occurrences(of: ">capacity (keys)</text>", in: svg) == 2)
    }

    @Test func bytesHaveAPanelOfTheirOwn() {
        let bytes = [10, 100].map { SimulationResult(trace: "both", capacity: $0, countsBytes: true, policy: .hoardBytes, requests: 100, hits: $0) }
        let svg = MissRatioPlot([results("both") + bytes]).svg
        #expect(occurrences(of: ">both</text>", in: svg) == 2)
        #expect(occurrences(of: ">capacity (keys)</text>", in: svg) == 1 && occurrences(of: ">capacity (bytes)</text>", in: svg) == 1)
        #expect(occurrences(of: #"<polyline class="curve hoard-bytes""#, in: svg) == 1)
        for policy in SimulationPolicy.all { #expect(svg.contains(".\(policy) { stroke"), "\(policy)") }
    }

    @Test(arguments: [[[]], [["one"]], [["a", "b", "c", "d", "<&\"\u{1}>"]]])
    func theDocumentIsWellFormed(names: [[String]]) {
        let svg = MissRatioPlot(names.flatMap { $0.map { results($0) } }).svg
        #expect(isWellFormed(svg))
    }

    @Test func aSingleCapacityIsAPointInTheMiddle() {
        let svg = MissRatioPlot([results("one", capacities: [50])]).svg
        #expect(isWellFormed(svg))
        #expect(!svg.contains("nan") && !svg.contains("inf"))
        // The middle between 20 + 52 and 20 + 460 - 20.
        #expect(svg.contains(#"cx="266""#))
    }

    @Test(arguments: [[Int.max], [(1 << 50) - 1, 1 << 50], [1, Int.max]]) func theLargestCapacitiesHaveAPlace(capacities: [Int]) {
        let svg = MissRatioPlot([results("one", capacities: capacities)]).svg
        #expect(isWellFormed(svg))
        #expect(!svg.contains("nan") && !svg.contains("inf"))
    }

    @Test func aHighMissRatioIsHigh() throws {
        let svg = MissRatioPlot([results("one")]).svg
        func height(_ policy: String) throws -> Double {
            let curve = try #require(svg.components(separatedBy: #"<polyline class="curve \#(policy)" points=""#).dropFirst().first)
            return try #require(Double(curve.split(separator: " ")[0].split(separator: ",")[1]))
        }
        #expect(try height("lru") < height("opt"))
    }

    @Test func missesOfBytesAreShownWhereThereAreSizes() throws {
        var sized = SimulationResult(trace: "one", capacity: 10, policy: .lru, requests: 4, hits: 1)
        (sized.hasSizes, sized.requestedBytes, sized.hitBytes) = (true, 100, 100)
        let svg = MissRatioPlot([[sized]], showsBytes: true).drawing().document(style: "")
        #expect(occurrences(of: ">miss ratio</text>", in: svg) == 1 && occurrences(of: ">miss ratio of bytes</text>", in: svg) == 1)
        // No byte is missed, so the point lies on the lower axis.
        #expect(svg.contains(#"cy="\#(SVGDrawing.number(10 + 20 + 10 + PlotPanel.height - 44))""#))
        #expect(occurrences(of: ">miss ratio of bytes</text>", in: MissRatioPlot([[sized]]).svg) == 0)
        #expect(occurrences(of: ">miss ratio of bytes</text>", in: MissRatioPlot([results("one")], showsBytes: true).svg) == 0)
    }

    @Test func theDocumentNeedsNothingElse() {
        let svg = MissRatioPlot([results("one")]).svg
        #expect(occurrences(of: "http", in: svg) == 1, "only the name space")
        #expect(svg.contains("prefers-color-scheme: dark"))
    }

    @Test(arguments: [
        ([10, 1000], [10, 20, 50, 100, 200, 500, 1000]), ([1, 1_000_000], [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]), ([40, 60], [40, 50, 60]),
        ([50], [30, 40, 50, 60, 70, 80, 90, 100]), ([], [1, 2]), ([187, 93_440], [200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000]),
        ([100, 99_000], [100, 300, 1000, 3000, 10_000, 30_000]),
    ])
    func ticksAreRoundNumbers(values: [Int], ticks: [Double]) {
        #expect(PlotAxis.logarithmic("", values: values).ticks.map(\.value) == ticks)
    }

    @Test func decadesHaveTheSameLength() {
        let axis = PlotAxis.logarithmic("", values: [10, 100, 1000])
        #expect(axis.position(of: 10) == 0)
        #expect(abs(axis.position(of: 100) - 0.5) < 1e-9)
        #expect(axis.position(of: 1000) == 1)
    }

    @Test(arguments: [(5, "5"), (999, "999"), (1000, "1k"), (1500, "1500"), (20_000, "20k"), (3_000_000, "3M"), (1_000_000_000, "1G")])
    func longNumbersAreShort(value: Int, text: String) {
        #expect(PlotAxis.label(value) == text)
    }

    @Test(arguments: [(1.0, "1"), (1.25, "1.3"), (0.04, "0"), (-2.5, "-2.5"), (99.96, "100")])
    func coordinatesHaveOneDecimalPlace(value: Double, text: String) {
        #expect(SVGDrawing.number(value) == text)
    }

    private func isWellFormed(_ text: String) -> Bool {
        XMLParser(data: Data(text.utf8)).parse()
    }
}
