// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Gives requests that lack a size, a cost or a lifetime the last known one of their key, and sums up the objects of
/// all requests.
///
/// It is done once for all caches. A trace of keys alone costs a look at each request, and no memory; any other about 80 bytes for each key.
struct RequestCompleter: Sendable {
    private var numbers = KeyTable()
    /// The last known parts of each key, by its number.
    private var known: [AccessRequest] = []
    private var lastTime: UInt64?
    /// The parts that any request so far had.
    private(set) var parts: RequestParts = []
    private(set) var totals = RequestTotals()
    /// Whether keys have numbers in any case, and not only where the parts need them.
    private let numbersKeys: Bool

    init(numbersKeys: Bool = false) { self.numbersKeys = numbersKeys }

    /// Completes the requests of a batch, whose ``RequestBatch/parts`` and ``RequestBatch/keyNumbers`` it sets.
    mutating func complete(_ batch: inout RequestBatch) {
        parts.formUnion(RequestParts(of: batch.requests))
        batch.parts = parts
        guard numbersKeys || !parts.isEmpty else {
            totals.requests += batch.requests.count
            totals.bytes += batch.requests.count
            return
        }
        let needNumbers = numbersKeys || parts.needNumbers
        batch.keyNumbers.removeAll(keepingCapacity: true)
        for place in batch.requests.indices {
            let number = complete(&batch.requests[place])
            if needNumbers { batch.keyNumbers.append(number) }
            guard batch.requests[place].isCounted else { continue }
            totals.requests += 1
            totals.bytes = totals.bytes.adding(batch.requests[place].knownBytes)
            totals.microseconds += Int(batch.requests[place].cost ?? 0)
        }
    }

    private mutating func complete(_ request: inout AccessRequest) -> UInt32 {
        request.time = request.time ?? lastTime
        lastTime = request.time
        let number = numbers.number(of: request.key)
        guard number < known.count else {
            known.append(request)
            return UInt32(number)
        }
        request.size = request.size ?? known[number].size
        request.cost = request.cost ?? known[number].cost
        request.lifetime = request.lifetime ?? known[number].lifetime
        known[number] = request
        return UInt32(number)
    }
}

/// Sums over all requests of a trace.
struct RequestTotals: Hashable, Sendable {
    var requests = 0
    var bytes = 0
    var microseconds = 0
}
