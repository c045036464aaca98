// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO
internal import NIOCore
internal import NIOHTTP1

/// The parts of a line of the access log: numbers, and the lengths of texts that lie one after the other in a batch's bytes.
struct AccessLogRecord: Sendable {
    /// The texts, in the order in which they lie. They are bytes as a client sent them.
    enum Text: Int, CaseIterable, Sendable {
        case address, method, target, host, referrer, userAgent, trace
    }

    /// The number of bytes that are kept of each text. A text that is cut off is marked in the line.
    static func limit(_ text: Text) -> Int {
        switch text {
        case .address: 64
        case .method: 32
        case .target: 4_096
        case .host: 255
        case .referrer: 1_024
        case .userAgent: 512
        case .trace: 32
        }
    }

    /// Seconds since 1970.
    var time: Double
    var status: Int
    var bytes: Int
    var receivedBytes: Int
    var isComplete: Bool
    var isSecure: Bool
    var majorVersion: UInt8
    var minorVersion: UInt8
    /// In nanoseconds.
    var timeToFirstByte: Int64
    var duration: Int64
    var answer: AnswerReport?
    /// Where the texts begin in the batch's bytes.
    private(set) var start = 0
    /// The kept bytes of each text.
    private var lengths = SIMD8<Int32>()
    /// Whether anything was cut off, a bit for each text.
    private var cuts: UInt8 = 0

    init(_ report: ExchangeReport, time: Double) {
        self.time = time
        status = report.status
        bytes = max(0, report.contentByteCount)
        receivedBytes = max(0, report.receivedByteCount)
        isComplete = report.isComplete
        isSecure = report.isSecure
        majorVersion = UInt8(clamping: report.version.major)
        minorVersion = UInt8(clamping: report.version.minor)
        timeToFirstByte = report.timeToFirstByte.loggedNanoseconds
        duration = report.duration.loggedNanoseconds
        answer = report.answer
    }

    var byteCount: Int { Int(lengths.wrappedSum()) }

    func length(_ text: Text) -> Int { Int(lengths[text.rawValue]) }
    func isCut(_ text: Text) -> Bool { cuts & 1 << UInt8(text.rawValue) != 0 }

    /// Where a text lies in the batch's bytes.
    func range(_ text: Text) -> Range<Int> {
        var offset = start
        for index in 0..<text.rawValue { offset += Int(lengths[index]) }
        return offset..<offset + length(text)
    }

    // MARK: Copying the texts

    /// Copies the texts of a report to the end of a batch's bytes. Nothing else of the request is copied: neither credentials nor cookies ever come here.
    ///
    /// O(*n*) in the bytes of the head, without an allocation if there is room.
    mutating func copyTexts(of report: ExchangeReport, to bytes: inout [UInt8]) {
        start = bytes.count
        defer { report.trace?.traceID?.withBytes { append(.trace, $0, to: &bytes) } }
        report.remoteAddress.withBytes { append(.address, $0, to: &bytes) }
        switch report.request {
        case .bytes(let buffer):
            buffer.withUnsafeReadableBytes { head in
                guard let scan = RequestHeadScan(head) else { return }
                append(.method, scan[scan.method], to: &bytes)
                append(.target, scan[scan.target], to: &bytes)
                var (host, referrer, userAgent) = (0..<0, 0..<0, 0..<0)
                scan.forEachField { name, value in
                    switch name.count {
                    case 4 where host.isEmpty && scan.isName(name, "host"): host = value
                    case 7 where referrer.isEmpty && scan.isName(name, "referer"): referrer = value
                    case 10 where userAgent.isEmpty && scan.isName(name, "user-agent"): userAgent = value
                    default: break
                    }
                    return true
                }
                append(.host, scan[host], to: &bytes)
                append(.referrer, scan[referrer], to: &bytes)
                append(.userAgent, scan[userAgent], to: &bytes)
            }
        case .head(let head):
            head.method.rawValue.withBytes { append(.method, $0, to: &bytes) }
            (head.path ?? "").withBytes { append(.target, $0, to: &bytes) }
            (head.authority ?? "").withBytes { append(.host, $0, to: &bytes) }
            appendField(.referer, as: .referrer, of: head, to: &bytes)
            appendField(.userAgent, as: .userAgent, of: head, to: &bytes)
        case .invalid:
            break
        }
    }

    private mutating func appendField(_ name: HTTPField.Name, as text: Text, of head: HTTPRequest, to bytes: inout [UInt8]) {
        guard let field = head.headerFields[fields: name].first else { return }
        field.withUnsafeBytesOfValue { append(text, UnsafeRawBufferPointer($0), to: &bytes) }
    }

    private mutating func append(_ text: Text, _ source: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        let kept = min(source.count, Self.limit(text))
        bytes.append(contentsOf: source.prefix(kept))
        lengths[text.rawValue] = Int32(kept)
        if kept < source.count { cuts |= 1 << UInt8(text.rawValue) }
    }
}

extension Duration {
    fileprivate var loggedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds < 1 << 32 ? max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000) : 1 << 62
    }
}
