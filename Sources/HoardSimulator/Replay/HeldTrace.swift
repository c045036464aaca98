// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A whole access trace in memory, with the parts of its requests: those that none of them has take no memory.
struct HeldTrace: Sendable {
    /// The requests, by the numbers of their keys.
    private(set) var trace: AccessTrace
    /// The parts that there are.
    private(set) var parts: RequestParts = []
    private(set) var totals = RequestTotals()
    // By request, each empty unless there is such a part. An unknown number is the largest one, as in ``AccessRequest``.
    private var sizes: [Int] = []
    private var costs: [UInt32] = []
    private var lifetimes: [UInt64] = []
    private var times: [UInt64] = []
    private var kinds: [AccessRequest.Kind] = []

    /// Holds a trace that has keys only.
    init(_ trace: AccessTrace) {
        self.trace = trace
        totals = RequestTotals(requests: trace.requestCount, bytes: trace.requestCount)
    }

    /// Reads an access trace to its end.
    init(_ source: RequestSource) throws(AccessTraceError) {
        var completer = RequestCompleter()
        var (numbers, keys, requests) = (KeyTable(), [UInt64](), [UInt32]())
        var batch = RequestBatch([])
        self.init(AccessTrace(name: source.name, keys: [], requests: []))
        while try source.readBatch(&batch.requests) {
            guard requests.count + batch.requests.count < UInt32.max else {
                throw AccessTraceError(
                    .tooLong,
                    in: source.name,
                    "has more than \(UInt32.max) requests; without opt and with fixed capacities, it can be streamed."
                )
            }
            completer.complete(&batch)
            append(batch, after: requests.count)
            for request in batch.requests {
                let number = numbers.number(of: request.key)
                if number == keys.count { keys.append(request.key) }
                requests.append(UInt32(number))
            }
        }
        trace = AccessTrace(name: source.name, keys: keys, requests: requests)
        totals = completer.totals
    }

    /// Holds the parts of further requests. A part that comes up now was not known before.
    private mutating func append(_ batch: RequestBatch, after count: Int) {
        let new = batch.parts.subtracting(parts)
        if new.contains(.sizes) { sizes = Array(repeating: .max, count: count) }
        if new.contains(.costs) { costs = Array(repeating: .max, count: count) }
        if new.contains(.lifetimes) { lifetimes = Array(repeating: .max, count: count) }
        if batch.parts.needTimes, !parts.needTimes { times = Array(repeating: .max, count: count) }
        if new.contains(.changes) { kinds = Array(repeating: .read, count: count) }
        parts = batch.parts
        if parts.contains(.sizes) { sizes += batch.requests.lazy.map { $0.size ?? .max } }
        if parts.contains(.costs) { costs += batch.requests.lazy.map { $0.cost ?? .max } }
        if parts.contains(.lifetimes) { lifetimes += batch.requests.lazy.map { $0.lifetime ?? .max } }
        if parts.needTimes { times += batch.requests.lazy.map { $0.time ?? .max } }
        if parts.contains(.changes) { kinds += batch.requests.lazy.map(\.kind) }
    }

    /// Some of the requests.
    ///
    /// - Parameter numbersKeys: As in ``RequestCompleter``.
    func batch(_ places: Range<Int>, numbersKeys: Bool = false) -> RequestBatch {
        var batch = RequestBatch(places.map(request))
        batch.parts = parts
        if numbersKeys || parts.needNumbers { batch.keyNumbers = Array(trace.requests[places]) }
        return batch
    }

    /// A request.
    func request(_ place: Int) -> AccessRequest {
        var request = AccessRequest(key: trace.keys[Int(trace.requests[place])])
        if parts.contains(.sizes) { request.size = sizes[place] }
        if parts.contains(.costs) { request.cost = costs[place] }
        if parts.contains(.lifetimes) { request.lifetime = lifetimes[place] }
        if parts.needTimes { request.time = times[place] }
        if parts.contains(.changes) { request.kind = kinds[place] }
        return request
    }

    /// The bytes that a cache is charged for a request's object.
    func chargedBytes(_ place: Int) -> Int { sizes.isEmpty || sizes[place] == .max ? 1 : max(1, sizes[place]) }

    /// The bytes of all different keys, each with its largest size.
    ///
    /// - Complexity: O(*n*).
    func distinctBytes() -> Int {
        guard parts.contains(.sizes) else { return trace.keyCount }
        var largest = Array(repeating: 0, count: trace.keyCount)
        for place in trace.requests.indices {
            let number = Int(trace.requests[place])
            largest[number] = max(largest[number], chargedBytes(place))
        }
        return largest.reduce(0) { $0.adding($1) }
    }

    /// For each request, the place of the next one for the same key, or ``AccessTrace/never`` if there is none before every object that can have
    /// been loaded by then has expired.
    ///
    /// - Complexity: O(*n*).
    func nextUses() -> [UInt32] {
        var uses = trace.nextUses()
        if parts.contains(.changes) {
            // Only an object that is brought in or asked for at one place, and asked for at the next, is worth keeping
            // in between.
            for place in uses.indices where uses[place] != AccessTrace.never {
                let isBroughtIn = kinds[place] == .read || kinds[place] == .write
                if !isBroughtIn || kinds[Int(uses[place])] != .read { uses[place] = AccessTrace.never }
            }
        }
        guard parts.contains(.lifetimes) else { return uses }
        var deadlines = Array(repeating: UInt64(0), count: trace.keyCount)
        for place in uses.indices where uses[place] != AccessTrace.never {
            let number = Int(trace.requests[place])
            deadlines[number] = max(deadlines[number], request(place).deadline)
            if deadlines[number] <= request(Int(uses[place])).time ?? 0 { uses[place] = AccessTrace.never }
        }
        return uses
    }
}
