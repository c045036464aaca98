// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// The last events of a recording, in which misses and the writes that they led to are joined.
///
/// A miss says that a key was asked for, and a write some time before or after it how large the value is and how long it lives. Both become one request. A miss
/// without a write was of something that the cache did not keep. A write without a miss, such as a refresh, and a removal become changes.
struct RecordingWindow: Sendable {
    /// So many requests of a file wait for the events that belong to them.
    static let length = 1 << 16
    /// A miss may be recorded so many milliseconds behind its write, and the hits of others in between.
    static let longestAnswer: UInt64 = 1_000

    /// So many requests wait at most for the events that belong to them.
    private let length: Int
    /// Whether the removal of everything is handed out as one of each key. If not, it is one of the key ``TraceEvent/everything``, and memory is bounded.
    private let remembersKeys: Bool
    private var requests: [AccessRequest] = []
    /// How many of ``requests`` have been handed out, and the number of the first one.
    private var done = 0
    private var base = 0
    /// How many of them no longer wait.
    private var readyEnd = 0
    /// The numbers of misses for which no write has come, and of writes for which no miss has, by their keys.
    private var misses: [UInt64: Int] = [:]
    private var writes: [UInt64: Int] = [:]
    /// The keys that were written since everything was removed.
    private var keys: Set<UInt64> = []

    init(length: Int = RecordingWindow.length, remembersKeys: Bool = true) {
        self.length = length
        self.remembersKeys = remembersKeys
    }

    var hasReady: Bool { done < readyEnd }

    mutating func append(_ event: TraceEvent, time: UInt64) {
        var request = AccessRequest(key: event.key, time: time)
        if let details = event.details {
            (request.size, request.lifetime, request.cost, request.group) = (details.size, details.lifetime, details.cost, details.group)
        }
        switch event.kind {
        case .hit, .stale:
            request.wasHit = true
            request.wasFreshInMemory = event.kind == .hit && event.details?.tier ?? 0 == 0
            if let write = writes[event.key], time &- (requests[write - base].time ?? 0) > Self.longestAnswer { writes[event.key] = nil }
            push(request)
        case .miss, .revalidated:
            request.wasHit = false
            if let write = writes.removeValue(forKey: event.key) {
                join(write, request)
            } else {
                request.kind = .uncacheable
                misses[event.key] = push(request)
            }
        case .pass:
            request.wasHit = false
            request.kind = .uncacheable
            push(request)
        case .write, .present:
            if remembersKeys { keys.insert(event.key) }
            if event.kind == .write, let miss = misses.removeValue(forKey: event.key) {
                join(miss, request)
            } else {
                request.kind = .write
                let number = push(request)
                if event.kind == .write { writes[event.key] = number }
            }
        case .removal:
            remove(event.key, time: time)
        }
    }

    private mutating func remove(_ key: UInt64, time: UInt64) {
        let isOfEverything = key == TraceEvent.everything
        let removed = isOfEverything && remembersKeys ? keys : [key]
        for key in removed {
            // A write after the removal belongs to no miss before it.
            (misses[key], writes[key]) = (nil, nil)
            push(AccessRequest(key: key, time: time, kind: .removal))
        }
        keys.subtract(removed)
        if isOfEverything { (misses, writes) = ([:], [:]) }
    }

    /// Lets nothing wait any more.
    mutating func finish() {
        (misses, writes) = ([:], [:])
        readyEnd = requests.count
    }

    /// Lets nothing wait any more that happened before a time, in milliseconds.
    mutating func release(before time: UInt64) {
        while readyEnd < requests.count, requests[readyEnd].time ?? 0 < time { releaseFirst() }
    }

    /// Hands out requests that no longer wait.
    mutating func takeReady(atMost maximumCount: Int, into result: inout [AccessRequest]) {
        let end = min(readyEnd, done + max(0, maximumCount))
        result += requests[done..<end]
        done = end
        guard done >= length || done == requests.count else { return }
        requests.removeFirst(done)
        base += done
        readyEnd -= done
        done = 0
    }

    /// Makes a waiting request one with all that is known of it.
    private mutating func join(_ number: Int, _ other: AccessRequest) {
        let index = number - base
        requests[index].kind = .read
        requests[index].wasHit = false
        requests[index].size = requests[index].size ?? other.size
        requests[index].lifetime = requests[index].lifetime ?? other.lifetime
        requests[index].cost = requests[index].cost ?? other.cost
        requests[index].group = requests[index].group ?? other.group
    }

    /// - Returns: The number of the request.
    @discardableResult
    private mutating func push(_ request: AccessRequest) -> Int {
        requests.append(request)
        let number = base + requests.count - 1
        if requests.count - readyEnd > length { releaseFirst() }
        return number
    }

    /// Takes it that the miss or the write that the first waiting request lacks does not come any more.
    private mutating func releaseFirst() {
        let (key, first) = (requests[readyEnd].key, base + readyEnd)
        if misses[key] == first { misses[key] = nil }
        if writes[key] == first { writes[key] = nil }
        readyEnd += 1
    }
}
