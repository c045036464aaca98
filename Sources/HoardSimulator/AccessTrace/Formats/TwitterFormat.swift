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
        let size = valueSize == 0 ? nil : Int(exactly: keySize.addingReportingOverflow(valueSize).partialValue)
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

/// The sizes and times to live that writes have told, of a bounded number of keys.
struct WrittenValues {
    private var sizes = RecentValues(slotCount: 1 << 20)
    private var lifetimes = RecentValues(slotCount: 1 << 20)

    /// Takes notice of a write.
    ///
    /// - Parameter lifetime: In seconds; 0 is for ever.
    mutating func write(key: UInt64, size: Int?, lifetime: UInt64) {
        if let size { sizes[key] = UInt64(size) }
        // A write without a time to live ends that of the one before it.
        if lifetime > 0 || lifetimes[key] != nil { lifetimes[key] = .milliseconds(seconds: lifetime) }
    }

    /// The request of a read.
    ///
    /// - Parameters:
    ///   - size: As in the line; `nil` if the value was not there.
    ///   - lifetime: As in the line, in seconds; 0 if it does not say.
    mutating func request(key: UInt64, size: Int?, lifetime: UInt64, time: UInt64?) -> AccessRequest {
        if let size { sizes[key] = UInt64(size) }
        let milliseconds = lifetime > 0 ? UInt64.milliseconds(seconds: lifetime) : lifetimes[key] ?? 0
        return AccessRequest(
            key: key,
            size: size ?? sizes[key].flatMap { Int(exactly: $0) },
            time: time,
            lifetime: milliseconds > 0 ? milliseconds : nil
        )
    }
}
