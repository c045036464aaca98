// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A whole access trace in memory: 4 bytes for each request, and about 24 for each key.
public struct AccessTrace: Sendable {
    /// The name of the access trace.
    public let name: String
    /// The keys, each once, in the order of their first request.
    let keys: [UInt64]
    /// For each request, the index of its key in ``keys``.
    let requests: [UInt32]

    /// The number of requests.
    public var requestCount: Int { requests.count }
    /// The number of different keys.
    public var keyCount: Int { keys.count }

    /// Reads an access trace to its end. While it does so, it holds the other parts of the requests too, up to 29 bytes for each.
    ///
    /// - Complexity: O(*n*) in the requests.
    public init(_ reader: AccessTraceReader) throws(AccessTraceError) {
        self = try HeldTrace(RequestSource(reader)).trace
    }

    init(name: String, keys: [UInt64], requests: [UInt32]) {
        self.name = name
        self.keys = keys
        self.requests = requests
    }

    /// For each request, the place of the next one for the same key, or ``never``.
    ///
    /// - Complexity: O(*n*).
    func nextUses() -> [UInt32] {
        var places = Array(repeating: Self.never, count: keys.count)
        var uses = Array(repeating: Self.never, count: requests.count)
        for place in requests.indices.reversed() {
            let key = Int(requests[place])
            uses[place] = places[key]
            places[key] = UInt32(place)
        }
        return uses
    }

    /// Stands for a next use that does not come.
    static let never = UInt32.max
}
