// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The lines of ARC's access traces: a first block, a number of blocks, and up to two numbers that are not
/// read. Each block is a request.
struct ARCFormat: TraceLineFormat {
    var skippedCount: Int { 0 }

    mutating func parse(_ line: Span<UInt8>, into requests: inout [AccessRequest]) throws(TraceFault) -> TraceRun? {
        guard !line.isBlankOrComment else { return nil }
        let end = line.contentEnd
        var (index, numbers, place) = (line.skippingBlanks(from: 0, to: end), (UInt64(0), UInt64(0)), 0)
        while index < end, place < 4 {
            let (value, next) = line.digits(from: index, to: end)
            guard next > index, next == end || line[next] == 0x20 || line[next] == 0x09 else { throw Self.unexpected(line, at: next) }
            guard let value else { throw TraceFault("a number is larger than \(UInt64.max).") }
            if place == 0 { numbers.0 = value } else if place == 1 { numbers.1 = value }
            place += 1
            index = line.skippingBlanks(from: next, to: end)
        }
        guard index == end else { throw Self.unexpected(line, at: index) }
        guard place >= 2 else { throw TraceFault("expected a block and a number of blocks, but found one number.") }
        guard numbers.1 == 0 || !numbers.0.addingReportingOverflow(numbers.1 - 1).overflow else {
            throw TraceFault("the last block is larger than \(UInt64.max).")
        }
        return TraceRun(request: AccessRequest(key: numbers.0), keyStep: 1, count: numbers.1)
    }

    private static func unexpected(_ line: Span<UInt8>, at index: Int) -> TraceFault {
        TraceFault("expected a block, a number of blocks and at most two more numbers, but found \(TraceFault.describe(line[index])).")
    }
}

/// The lines of LIRS's access traces: a block each. Lines of `*`, which separate or end, are skipped.
struct LIRSFormat: TraceLineFormat {
    var skippedCount: Int { 0 }

    mutating func parse(_ line: Span<UInt8>, into requests: inout [AccessRequest]) throws(TraceFault) -> TraceRun? {
        let content = line.trimmed(0..<line.contentEnd)
        guard !content.isEmpty, line[content.lowerBound] != UInt8(ascii: "#"), !line.equals(content, "*") else { return nil }
        let (block, end) = line.digits(from: content.lowerBound, to: content.upperBound)
        guard end == content.upperBound else { throw TraceFault("expected a block or *, but found \(TraceFault.describe(line[end])).") }
        guard let block else { throw TraceFault("the block is larger than \(UInt64.max).") }
        requests.append(AccessRequest(key: block))
        return nil
    }
}
