// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Twitter's comma-separated values: seconds, key, bytes of the key, bytes of the value, client, operation,
/// seconds to live.
///
/// <https://github.com/twitter/cache-trace> describes them. A key may contain commas, so that the other
/// columns are counted from the end.
struct TwitterFormat: TraceLineFormat {
    private var clock = TraceClock()
    private var fields = CSVFields()
    private var memory = WrittenValues()
    private(set) var skippedCount = 0

    mutating func parse(_ line: Span<UInt8>, into requests: inout [AccessRequest]) throws(TraceFault) -> TraceRun? {
        guard !line.isBlankOrComment else { return nil }
        fields.split(line)
        let count = fields.count
        guard count >= 7, let time = line.number(fields[0]), let keySize = line.number(fields[count - 5]),
            let valueSize = line.number(fields[count - 4]),
            let lifetime = line.number(fields[count - 1])
        else {
            throw TraceFault("expected time, key, key size, value size, client, operation and time to live, separated by commas.")
        }
        let milliseconds = clock.elapsed(.milliseconds(seconds: time))
        let key = line.hash(fields[1].lowerBound..<fields[count - 6].upperBound)
        let size = try valueSize == 0 ? nil : Int(sum: keySize, valueSize)
        switch Self.operation(line, fields[count - 2]) {
        case .read:
            requests.append(memory.request(key: key, size: size, lifetime: lifetime, time: milliseconds))
        case .write:
            memory.write(key: key, size: size, lifetime: lifetime)
            skippedCount += 1
        case .other:
            skippedCount += 1
        case nil:
            throw TraceFault("expected an operation such as get or set in the sixth column.")
        }
        return nil
    }

    private enum Operation { case read, write, other }

    private static func operation(_ line: Span<UInt8>, _ range: Range<Int>) -> Operation? {
        if line.equals(range, "get") || line.equals(range, "gets") { return .read }
        if line.equals(range, "set") || line.equals(range, "add") || line.equals(range, "replace") || line.equals(range, "cas") { return .write }
        // These change a value and leave its time to live.
        if line.equals(range, "append") || line.equals(range, "prepend") || line.equals(range, "incr") || line.equals(range, "decr") { return .other }
        return line.equals(range, "delete") ? .other : nil
    }

    /// Whether a word is an operation.
    static func isOperation(_ line: Span<UInt8>, _ range: Range<Int>) -> Bool { operation(line, range) != nil }
}
