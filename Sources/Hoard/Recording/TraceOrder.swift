// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Puts the accesses of several feeds into one order.
///
/// In the same tick, accesses of different feeds are mixed evenly; those of one feed keep their order.
struct TraceOrder: Sendable {
    /// Accesses that a feed has handed over together, as ``AccessBuffer`` has them.
    struct Part: Sendable {
        let feed: UInt64
        /// Where they are among the words of all feeds.
        let words: Range<Int>
    }

    /// Accesses of one feed in one tick.
    private struct Run {
        let feed: UInt64
        let tick: UInt64
        /// Where they are in ``words``.
        let words: Range<Int>
        let eventCount: Int
    }

    let words: [UInt64]
    private var runs: [Run] = []

    /// - Parameter parts: Those of one feed in the order in which they came.
    init(_ words: [UInt64], _ parts: [Part]) {
        self.words = words
        for part in parts { append(part) }
        runs.sort { ($0.tick, $0.feed, $0.words.lowerBound) < ($1.tick, $1.feed, $1.words.lowerBound) }
    }

    private mutating func append(_ part: Part) {
        var tick: UInt64 = 0
        var (start, index, eventCount) = (part.words.lowerBound, part.words.lowerBound, 0)
        func run(until end: Int) -> Run { Run(feed: part.feed, tick: tick, words: start..<end, eventCount: eventCount) }
        while index < part.words.upperBound {
            let word = words[index]
            if word & AccessBuffer.kindMask == AccessBuffer.tickMark {
                if eventCount > 0 { runs.append(run(until: index)) }
                (tick, start, eventCount) = (word >> 4, index + 1, 0)
                index += 1
            } else {
                eventCount += 1
                index += AccessBuffer.length(of: word)
            }
        }
        if eventCount > 0 { runs.append(run(until: part.words.upperBound)) }
    }

    /// Calls a function with each access: its kind, the upper bits of the key's hash, the tick, and details.
    func forEach(_ body: (TraceEvent.Kind, UInt64, UInt64, TraceEvent.Details?) -> Void) {
        var places: [Int] = []
        var starts: [Int] = []
        var rest = runs[...]
        while let tick = rest.first?.tick {
            let ofTick = rest.prefix { $0.tick == tick }
            rest = rest.dropFirst(ofTick.count)
            mix(ofTick, into: &places, &starts)
            for place in places {
                let word = words[place]
                guard let kind = TraceEvent.Kind(rawValue: UInt8(word & 7)) else { continue }
                let details = word & AccessBuffer.detailsMark == 0 ? nil : AccessBuffer.details(words[(place + 1)...])
                body(kind, word & ~AccessBuffer.kindMask, tick, details)
            }
        }
    }

    /// The places of the words with which the runs' accesses begin, evenly mixed: a counting sort by how far an access is in those of its feed.
    private func mix(_ runs: ArraySlice<Run>, into places: inout [Int], _ starts: inout [Int]) {
        places.removeAll(keepingCapacity: true)
        guard runs.first?.feed != runs.last?.feed else {
            for run in runs { forEachPlace(of: run) { _, place in places.append(place) } }
            return
        }
        let count = runs.reduce(0) { $0 + $1.eventCount }
        var counts: [UInt64: Int] = [:]
        for run in runs { counts[run.feed, default: 0] += run.eventCount }
        places.append(contentsOf: repeatElement(0, count: count))
        starts.removeAll(keepingCapacity: true)
        starts.append(contentsOf: repeatElement(0, count: count + 1))
        for feedCount in counts.values {
            for index in 0..<feedCount { starts[index * count / feedCount + 1] += 1 }
        }
        for index in 1...count { starts[index] += starts[index - 1] }
        var done: [UInt64: Int] = [:]
        for run in runs {
            let (feedCount, first) = (counts[run.feed, default: 1], done[run.feed, default: 0])
            forEachPlace(of: run) { index, place in
                let bucket = (first + index) * count / feedCount
                places[starts[bucket]] = place
                starts[bucket] += 1
            }
            done[run.feed] = first + run.eventCount
        }
    }

    private func forEachPlace(of run: Run, _ body: (Int, Int) -> Void) {
        var place = run.words.lowerBound
        for index in 0..<run.eventCount {
            body(index, place)
            place += AccessBuffer.length(of: words[place])
        }
    }
}

extension AccessBuffer {
    /// The number of words that an access has that begins with this one.
    static func length(of word: UInt64) -> Int { word & detailsMark == 0 ? 1 : 4 }

    static func eventCount(in words: UnsafeBufferPointer<UInt64>) -> Int {
        var (count, index) = (0, 0)
        while index < words.count {
            if words[index] & kindMask != tickMark { count += 1 }
            index += length(of: words[index])
        }
        return count
    }

    /// The details that the three words behind an access's first one stand for.
    static func details(_ words: ArraySlice<UInt64>) -> TraceEvent.Details {
        let (first, lifetime, last) = (words[words.startIndex], words[words.startIndex + 1], words[words.startIndex + 2])
        let size = first & (.max >> 8)
        return TraceEvent.Details(
            size: size == .max >> 8 ? nil : Int(size),
            lifetime: lifetime == .max ? nil : lifetime,
            cost: last >> 32 == UInt64(UInt32.max) ? nil : UInt32(last >> 32),
            group: UInt32(truncatingIfNeeded: last) == .max ? nil : UInt32(truncatingIfNeeded: last),
            tier: UInt8(first >> 56)
        )
    }
}
