// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HoardProxy

/// Advice, for a person.
struct AdviceText {
    private let document: AdviceDocument

    init(_ document: AdviceDocument) {
        self.document = document
    }

    var text: String {
        let parts = [summary, sizes, advice, settings].filter { !$0.isEmpty }
        return parts.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
    }

    private var summary: [String] {
        guard let trace = document.trace, let requests = document.requests, let objects = document.objects else {
            return document.notJudged.map(printable)
        }
        var line = "\(printable(trace)): \(requests) requests for \(objects) objects"
        if let bytes = document.bytes { line += " of \(ByteCount(bytes)) in all" }
        if let span = document.milliseconds { line += ", in \(Self.span(span))" }
        line += "."
        if let skipped = document.skippedLines, skipped > 0 { line += " \(skipped) lines are no requests to simulate." }
        return [line] + document.notJudged.map(printable)
    }

    /// Hit ratios by capacity, and the gain of a larger one.
    private var sizes: [String] {
        guard let sizes = document.sizes, !sizes.isEmpty else { return [] }
        let countsBytes = document.unit == "bytes"
        let unit = countsBytes ? "GIB" : "1000 OBJECTS"
        var table = TextTable([("CAPACITY", .right), ("HIT RATIO %", .right), ("MISSES", .right), ("FEWER MISSES FOR EACH \(unit) MORE", .right)])
        func text(_ capacity: Int) -> String { countsBytes ? "\(ByteCount(capacity))" : "\(capacity)" }
        var last: AdviceDocument.Size?
        for size in sizes {
            let gain = last.map { Double(size.hits - $0.hits) / Double(size.capacity - $0.capacity) * (countsBytes ? 1_073_741_824 : 1_000) }
            table.append([
                text(size.capacity), String(format: "%.2f", size.hitRatio * 100), "\(size.requests - size.hits)",
                gain.map { String(format: "%.0f", max(0, $0)) } ?? "-",
            ])
            last = size
        }
        guard let recommended = document.recommendedCapacity else { return table.lines }
        return table.lines + ["\(text(recommended)) is within a point of the best hit ratio, as far as nothing expires."]
    }

    private var advice: [String] {
        guard !document.advice.isEmpty else { return ["There is nothing to change that the data speak for."] }
        return document.advice.enumerated().flatMap { number, advice in
            var lines = ["\(number + 1). \(printable(advice.sentence)) (\(advice.certainty))", "   \(printable(advice.evidence))"]
            if let before = advice.hitRatioBefore, let after = advice.hitRatioAfter {
                let commands = [advice.commandBefore, advice.commandAfter].compactMap(\.self)
                lines.append("   Hit ratio: \(String(format: "%.2f to %.2f", before * 100, after * 100)) %" + (commands.isEmpty ? "." : ", by"))
                lines += commands.map { "     \(printable($0))" }
            }
            return (number > 0 ? [""] : []) + lines
        }
    }

    private var settings: [String] {
        guard !document.settings.isEmpty else { return [] }
        return ["# Settings of hoard proxy"] + document.settings.split(separator: "\n").map { printable(String($0)) }
    }

    /// The line of a shell that simulates an access trace.
    ///
    /// - Parameters:
    ///   - arguments: Those of `hoard simulate`, the access trace first.
    ///   - trace: The access trace as it was named on the command line: the file that was read may be a copy of
    ///     standard input.
    static func command(_ arguments: [String], trace: String) -> String {
        "hoard simulate " + ([trace] + arguments.dropFirst()).map(quoted).joined(separator: " ")
    }

    /// An argument as a shell needs it.
    private static func quoted(_ argument: String) -> String {
        let isPlain = argument.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || Array("/._-=,%+:@".utf8).contains(byte)
        }
        return isPlain && !argument.isEmpty ? argument : "'" + printable(argument).replacing("'", with: "'\\''") + "'"
    }

    private static func span(_ milliseconds: UInt64) -> String {
        let seconds = milliseconds / 1_000
        return switch seconds {
        case ..<120: "\(seconds) seconds"
        case ..<7_200: "\(seconds / 60) minutes"
        case ..<172_800: "\(seconds / 3_600) hours"
        default: "\(seconds / 86_400) days"
        }
    }
}
