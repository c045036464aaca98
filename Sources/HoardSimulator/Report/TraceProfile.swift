// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The nature of an access trace, whatever cache may serve it: how popular keys are, when they come again, how large they are.
///
/// It is made from requests one by one, in about 120 bytes for each different key, whatever the number of requests.
///
/// ```swift
/// var profile = TraceProfile(name: reader.name)
/// while try reader.readBatch(into: &requests) { profile.add(requests) }
/// ```
///
/// A request without a size has the last known size of its key, or else counts as 1 byte, as in a ``Simulation``. Times that go back count
/// as the latest time so far.
public struct TraceProfile: Sendable {
    struct Key {
        var requests = 0
        /// When it was requested last.
        var last: UInt64
        var size: Int?
        var largestSize = 0
        /// Whether a cache can have it by now: it was read and could be kept, or was written.
        var canBeCached: Bool
    }

    /// The name of the access trace.
    public let name: String
    /// The number of requests. Writes and removals are none.
    public private(set) var requestCount = 0
    /// How many of them no cache can hit: the first one for each key that was not written before, and all whose
    /// objects cannot be kept.
    public private(set) var compulsoryMissCount = 0
    /// The bytes of the objects that were asked for.
    public private(set) var requestedBytes = 0
    /// The bytes of those that no cache can hit.
    public private(set) var compulsoryMissBytes = 0
    /// The bytes of all different keys, each with its largest size.
    public private(set) var distinctBytes = 0
    /// Whether the access trace has sizes.
    public private(set) var hasSizes = false
    /// Whether the access trace has times. Without them, requests are a millisecond apart where the profile speaks of times.
    public private(set) var hasTimes = false

    private var numbers = KeyTable()
    /// Keys that were written before they were requested.
    private var writtenKeys = KeyTable()
    private var writtenSizes: [Int?] = []
    private(set) var keys: [Key] = []
    private(set) var reuseDistances: ReuseDistances
    private(set) var workingSet = WorkingSet()
    /// Milliseconds between two requests for the same key, or requests if the trace has no times.
    private(set) var reuseTimes = PowerHistogram()
    /// The sizes that are known, once for each request.
    private(set) var requestSizes = PowerHistogram()
    /// In milliseconds, once for each request that has one.
    private(set) var lifetimes = PowerHistogram()
    private var start: UInt64 = 0
    private(set) var now: UInt64 = 0

    /// - Parameter name: The name of the access trace.
    public init(name: String) {
        self.init(name: name, reuseDistances: ReuseDistances())
    }

    init(name: String, reuseDistances: ReuseDistances) {
        self.name = name
        self.reuseDistances = reuseDistances
    }

    /// Adds requests.
    public mutating func add(_ requests: [AccessRequest]) {
        for request in requests { add(request) }
    }

    /// Adds a request.
    ///
    /// - Complexity: O(1), amortized.
    public mutating func add(_ request: AccessRequest) {
        guard request.isCounted else {
            if request.kind == .write { noteWrite(request) }
            return
        }
        if requestCount == 0 {
            hasTimes = request.time != nil
            start = request.time ?? 0
        }
        now = hasTimes ? max(now, request.time.map { $0 > start ? $0 - start : 0 } ?? now) : UInt64(requestCount)
        requestCount += 1
        let number = numbers.number(of: request.key)
        if number < keys.count {
            reuseTimes.add(now - keys[number].last)
            workingSet.add(at: now, previous: keys[number].last)
            keys[number].last = now
        } else {
            let written = writtenSizes.isEmpty ? nil : writtenKeys[request.key]
            keys.append(Key(last: now, size: written.flatMap { writtenSizes[$0] }, canBeCached: written != nil))
            workingSet.add(at: now, previous: nil)
        }
        keys[number].requests += 1
        reuseDistances.add(request.key, number: number)
        if let lifetime = request.lifetime { lifetimes.add(lifetime) }
        addBytes(of: request, number: number)
    }

    private mutating func addBytes(of request: AccessRequest, number: Int) {
        let size = request.size ?? keys[number].size
        if let size {
            hasSizes = true
            keys[number].size = size
            requestSizes.add(UInt64(size))
        }
        let bytes = size ?? 1
        requestedBytes = requestedBytes.adding(bytes)
        if bytes > keys[number].largestSize {
            distinctBytes = distinctBytes.adding(bytes - keys[number].largestSize)
            keys[number].largestSize = bytes
        }
        let isKept = request.kind == .read
        if !isKept || !keys[number].canBeCached {
            compulsoryMissCount += 1
            compulsoryMissBytes = compulsoryMissBytes.adding(bytes)
            if isKept { keys[number].canBeCached = true }
        }
    }

    private mutating func noteWrite(_ write: AccessRequest) {
        if let number = numbers[write.key] {
            keys[number].canBeCached = true
            keys[number].size = write.size ?? keys[number].size
        } else {
            let number = writtenKeys.number(of: write.key)
            if number == writtenSizes.count { writtenSizes.append(nil) }
            writtenSizes[number] = write.size ?? writtenSizes[number]
        }
    }
}
