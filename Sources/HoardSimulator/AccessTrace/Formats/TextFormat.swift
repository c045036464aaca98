// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Lines of a decimal key, which may be followed by blanks and a decimal size. Blank lines and lines that
/// begin with `#` are skipped.
struct TextFormat: TraceLineFormat {
    var skippedCount: Int { 0 }

    private static let expectation = "expected a decimal key, which a size may follow, but found"

    mutating func parse(_ line: Span<UInt8>, into requests: inout [AccessRequest]) throws(TraceFault) -> TraceRun? {
        let end = line.contentEnd
        let start = line.skippingBlanks(from: 0, to: end)
        guard start < end, line[start] != UInt8(ascii: "#") else { return nil }
        let (key, keyEnd) = line.digits(from: start, to: end)
        guard keyEnd > start else { throw Self.unexpected(line, at: keyEnd) }
        guard let key else { throw TraceFault("the key is larger than \(UInt64.max).") }
        if keyEnd == end {
            requests.append(AccessRequest(key: key))
            return nil
        }
        let sizeStart = line.skippingBlanks(from: keyEnd, to: end)
        let (size, sizeEnd) = line.digits(from: sizeStart, to: end)
        let rest = line.skippingBlanks(from: sizeEnd, to: end)
        guard rest == end, sizeStart > keyEnd else { throw Self.unexpected(line, at: sizeStart > keyEnd ? rest : sizeStart) }
        if sizeEnd == sizeStart {
            requests.append(AccessRequest(key: key))
            return nil
        }
        guard let size, let size = Int(exactly: size) else { throw TraceFault("the size is larger than \(Int.max).") }
        requests.append(AccessRequest(key: key, size: size))
        return nil
    }

    /// A carriage return may stand at the end only, so that the byte behind another one is too much.
    private static func unexpected(_ line: Span<UInt8>, at index: Int) -> TraceFault {
        let shown = line[index] == 0x0d && index + 1 < line.count ? index + 1 : index
        return TraceFault("\(expectation) \(TraceFault.describe(line[shown])).")
    }
}
