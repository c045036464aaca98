// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Tracing

/// The place of a request in a trace: [W3C Trace Context §3](https://www.w3.org/TR/trace-context/#trace-context-http-headers-format).
struct TraceContext: Sendable, Hashable {
    /// The two halves of the trace's identifier, not both 0.
    var traceID: (high: UInt64, low: UInt64) {
        get { (traceHigh, traceLow) }
        set { (traceHigh, traceLow) = newValue }
    }
    private var traceHigh: UInt64
    private var traceLow: UInt64
    /// Not 0.
    var spanID: UInt64
    var isSampled: Bool
    /// The field `tracestate`, which is passed on as it came.
    var state: String?

    init(traceID: (high: UInt64, low: UInt64), spanID: UInt64, isSampled: Bool, state: String? = nil) {
        (traceHigh, traceLow) = traceID
        self.spanID = spanID
        self.isSampled = isSampled
        self.state = state
    }

    /// Creates a context with random identifiers.
    static func random(isSampled: Bool) -> Self {
        Self(traceID: (randomID(), randomID()), spanID: randomID(), isSampled: isSampled)
    }

    static func randomID() -> UInt64 { UInt64.random(in: 1...UInt64.max) }

    // MARK: As text

    /// - Parameters:
    ///   - traceparent: The value of the field. If a request has several of that name, no context is in them.
    ///   - state: The value of `tracestate`. It is left out if it is longer than 512 bytes or not of visible ASCII.
    /// - Returns: `nil` if the text is not valid by §3.2.
    init?(traceparent: String, state: String? = nil) {
        let bytes = Array(traceparent.utf8)
        let hyphen = UInt8(ascii: "-")
        guard bytes.count >= Self.textByteCount, bytes[2] == hyphen, bytes[35] == hyphen, bytes[52] == hyphen,
            let version = Self.number(bytes[0..<2]), let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]),
            let spanID = Self.number(bytes[36..<52]), let flags = Self.number(bytes[53..<55])
        else { return nil }
        // A later version may say more behind that.
        guard version != 0xFF, version == 0 ? bytes.count == Self.textByteCount : bytes.count == Self.textByteCount || bytes[55] == hyphen,
            high != 0 || low != 0, spanID != 0
        else { return nil }
        let isUsable = state.map { $0.utf8.count <= 512 && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } } ?? false
        self.init(traceID: (high, low), spanID: spanID, isSampled: flags & 1 != 0, state: isUsable ? state : nil)
    }

    private static let textByteCount = 55

    /// The number that hexadecimal digits stand for, which must be small letters.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }

    /// The value of `traceparent`.
    var traceparent: String { "00-\(traceIDText)-\(spanIDText)-\(isSampled ? "01" : "00")" }

    /// The trace's identifier in 32 digits.
    var traceIDText: String { Self.digits(traceID.high) + Self.digits(traceID.low) }

    /// The span's identifier in 16 digits.
    var spanIDText: String { Self.digits(spanID) }

    static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

extension ServiceContext {
    private enum TraceContextKey: ServiceContextKey {
        typealias Value = TraceContext
    }

    /// The place in a trace, if ``OTLPTracer`` has read or made one.
    var traceContext: TraceContext? {
        get { self[TraceContextKey.self] }
        set { self[TraceContextKey.self] = newValue }
    }
}

/// Access to the fields of messages that carry contexts.
struct TraceFields: Extractor, Injector {
    func extract(key: String, from fields: HTTPFields) -> String? { HTTPField.Name(key).flatMap { fields[$0] } }

    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        guard let name = HTTPField.Name(key) else { return }
        fields[name] = value
    }
}
