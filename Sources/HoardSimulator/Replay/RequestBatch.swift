// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Requests that all caches of a simulation replay next.
struct RequestBatch: Sendable {
    var requests: [AccessRequest]
    /// For each request, a number for its key, from 0; empty unless there are lifetimes, changes or a fleet.
    var keyNumbers: [UInt32] = []
    /// The parts that requests have in the trace so far.
    var parts: RequestParts = []
    /// For how many milliseconds objects that have expired are used while they are loaded anew.
    var staleWindow: UInt64 = 0

    init(_ requests: [AccessRequest]) {
        self.requests = requests
    }
}

/// The parts of requests, besides their key, that a simulation uses.
struct RequestParts: OptionSet, Sendable {
    let rawValue: UInt8

    static let sizes = Self(rawValue: 1)
    static let costs = Self(rawValue: 2)
    static let lifetimes = Self(rawValue: 4)
    /// Some are no requests, or of objects that cannot be kept: see ``AccessRequest/kind-swift.property``.
    static let changes = Self(rawValue: 8)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The parts that any of the requests has.
    init(of requests: [AccessRequest]) {
        var parts: Self = []
        for request in requests {
            if request.size != nil { parts.insert(.sizes) }
            if request.cost != nil { parts.insert(.costs) }
            if request.lifetime != nil { parts.insert(.lifetimes) }
            if request.kind != .read { parts.insert(.changes) }
        }
        self = parts
    }
}

extension RequestParts {
    /// Whether the numbers of keys are needed.
    var needNumbers: Bool { !isDisjoint(with: [.lifetimes, .changes]) }
    /// Whether times are needed: for when objects expire, and for how long a load runs.
    var needTimes: Bool { !isDisjoint(with: [.lifetimes, .costs]) }
}

extension AccessRequest {
    /// Whether it counts as a request; changes do not.
    var isCounted: Bool { kind == .read || kind == .uncacheable }

    /// The bytes of the object; 1 if they are not known.
    var knownBytes: Int { size ?? 1 }

    /// The bytes that a cache is charged: even an empty object takes one.
    ///
    /// An object that is larger than any cache counts as one byte too large for it, so that no sum of sizes is larger than a number can be.
    var chargedBytes: Int { min(max(1, knownBytes), SimulationCapacity.maximumBytes + 1) }

    /// The time at which an object that is loaded for the request expires.
    var deadline: UInt64 {
        guard let lifetime else { return .max }
        let (deadline, overflows) = (time ?? 0).addingReportingOverflow(lifetime)
        return overflows ? .max : deadline
    }

    /// The time until which an object that is loaded for the request answers others: so many milliseconds after it expires.
    func deadline(staleFor window: UInt64) -> UInt64 {
        let (end, overflows) = deadline.addingReportingOverflow(window)
        return overflows ? .max : end
    }
}
