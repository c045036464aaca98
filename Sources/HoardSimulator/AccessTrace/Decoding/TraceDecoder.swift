// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Finds the requests in the bytes of an access trace of one format. The bytes may be cut anywhere.
protocol TraceDecoder {
    /// Where the decoder is, for messages.
    var place: TracePlace { get }
    /// The number of skipped lines that fit the format, but are no request to simulate.
    var skippedCount: Int { get }
    /// The share of the keys that were recorded, and how many accesses to them were lost.
    var sample: (share: Double, lost: Int) { get }
    /// Whether ``decode(_:into:)`` has more requests to append, even without more bytes.
    var hasMore: Bool { get }

    /// Reads on, and appends requests until the bytes are used up or there are ``TraceBatch/requestCount``.
    ///
    /// - Returns: How many of the bytes are done with. The others have to be given again.
    mutating func decode(_ bytes: Span<UInt8>, into requests: inout [AccessRequest]) throws(TraceFault) -> Int

    /// Ends the last line or record; afterwards there may be more requests.
    mutating func finish(into requests: inout [AccessRequest]) throws(TraceFault)
}

extension TraceDecoder {
    var sample: (share: Double, lost: Int) { (1, 0) }
}

/// How much is read at once.
enum TraceBatch {
    /// The number of requests that a decoder appends before it pauses.
    static let requestCount = 1 << 15
}

/// A place in an access trace.
enum TracePlace: Sendable {
    /// A line, counted from 1.
    case line(Int)
    /// A record, counted from 1.
    case record(Int)
}

/// The reason why bytes do not fit the format. The reader adds the place.
struct TraceFault: Error {
    let code: AccessTraceError.Code
    let message: String

    init(_ message: String, code: AccessTraceError.Code = .malformedLine) {
        self.code = code
        self.message = message
    }

    /// A byte for a message.
    static func describe(_ byte: UInt8) -> String {
        (0x21...0x7e).contains(byte) ? "“\(Character(UnicodeScalar(byte)))”" : "the byte 0x\(String(byte, radix: 16))"
    }
}

/// Several requests that one line stands for.
struct TraceRun {
    /// A line may stand for so many requests. A simulation of more from one line would not seem to end.
    static let requestLimit: UInt64 = 1_000_000_000

    /// The next request.
    var request: AccessRequest
    /// The difference between the keys of one request and the next.
    let keyStep: UInt64
    /// The number of requests that are left.
    var count: UInt64
}
