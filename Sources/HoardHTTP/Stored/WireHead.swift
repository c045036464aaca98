// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardMessages

/// The head of a stored response in the bytes that an HTTP/1.1 server sends, but for the fields that each answer has anew.
///
/// A head has this form if its bytes say all that is known of it, and if a server would change none of its fields. It frames its content only by one
/// `Content-Length` of less than 4 GiB, and has a `Date` and no `Age`. It has only ASCII, and a status whose content is framed as usual.
///
/// There are as many of these as there are entries in memory, so short content lies behind the head in the same piece of memory.
package struct WireHead: Sendable {
    /// The status line and the fields, each line with CR and LF; behind those that are sent, the additions of the
    /// owner's policy; behind them the content.
    private let bytes: [UInt8]
    /// The number in `Content-Length`; the greatest number if there is none.
    private let contentLengthOrNone: UInt32
    /// How many of ``bytes`` are sent.
    private let sentByteCount: UInt32
    /// Where the content begins in ``bytes``.
    private let contentStart: UInt32
    /// Where the fields begin in ``bytes``.
    private let fieldsStart: UInt32
    /// Whether the reason in the status line came with the response.
    private let hasReason: Bool

    package var byteCount: Int { Int(sentByteCount) }

    /// The number in `Content-Length`; `nil` if there is none.
    package var contentLength: Int? { contentLengthOrNone == .max ? nil : Int(contentLengthOrNone) }

    /// The bytes that are sent.
    @inline(__always)
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<byteCount])) }
    }

    /// The content that lies behind the head.
    var content: PackedContent { PackedContent(bytes, from: Int(contentStart)) }

    /// - Returns: `nil` if the head has another form.
    /// - Complexity: O(*n*) in the bytes of the head.
    init?(_ head: HTTPResponse) {
        let status = head.status
        guard let reason = Self.reason(of: status), reason.utf8.allSatisfy(\.isPlainInWireHead) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(head.headerFields.reduce(reason.utf8.count + 15) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 })
        bytes += "HTTP/1.1 \(status.code) \(reason)\r\n".utf8
        let fieldsStart = bytes.count
        var contentLength: Int?
        var hasDate = false
        var sentByteCount: Int?
        for field in head.headerFields {
            guard sentByteCount == nil, field.indexingStrategy == .automatic else { return nil }
            let start = bytes.count
            bytes += field.name.rawName.utf8
            bytes.append(.colon)
            bytes.append(.space)
            let valueStart = bytes.count
            field.withUnsafeBytesOfValue { bytes += $0 }
            // Spaces around a value do not come back.
            if valueStart < bytes.count, bytes[valueStart].isOptionalWhitespace || bytes[bytes.count - 1].isOptionalWhitespace { return nil }
            guard bytes[start...].allSatisfy(\.isPlainInWireHead) else { return nil }
            bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
            switch field.name.canonicalName {
            case "age", "connection", "keep-alive", "trailer", "transfer-encoding":
                return nil
            case "content-length":
                // More than one, or one that is not written as a server would write it, is not sent as it is.
                guard contentLength == nil, let length = Int(field.value), length >= 0, "\(length)" == field.value else { return nil }
                contentLength = length
            case "date":
                hasDate = true
            case HTTPField.Name.hoardPolicy.canonicalName:
                // The last one, as it is added last.
                sentByteCount = start
            default:
                break
            }
        }
        guard hasDate, bytes.count < UInt32.max, contentLength ?? 0 < UInt32.max else { return nil }
        self.bytes = bytes
        self.sentByteCount = UInt32(sentByteCount ?? bytes.count)
        self.contentStart = UInt32(bytes.count)
        self.fieldsStart = UInt32(fieldsStart)
        self.contentLengthOrNone = contentLength.map { UInt32($0) } ?? .max
        self.hasReason = !status.reasonPhrase.isEmpty
    }

    /// The same of a head that came in this form.
    ///
    /// - Parameters:
    ///   - head: Its judged fields have all that this form does not allow.
    ///   - content: Lies behind it at once.
    /// - Returns: `nil` if the head has another form.
    /// - Complexity: O(*n*) in the bytes of both.
    init?(_ head: PlainResponseHead, content: UnsafeRawBufferPointer) {
        let fields = head.judged.headerFields
        guard Self.reason(of: head.judged.status) != nil, !head.judged.status.reasonPhrase.isEmpty, fields.contains(.date), !fields.contains(.age),
            let value = fields[.contentLength], let length = UInt32(value), "\(length)" == value, length < .max, head.bytes.count < UInt32.max
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(head.bytes.count + content.count)
        bytes += head.bytes
        bytes += content
        self.bytes = bytes
        sentByteCount = UInt32(head.bytes.count)
        contentStart = sentByteCount
        fieldsStart = UInt32(head.fieldsStart)
        contentLengthOrNone = length
        hasReason = true
    }

    private init(_ other: WireHead, bytes: [UInt8]) {
        self.bytes = bytes
        contentLengthOrNone = other.contentLengthOrNone
        sentByteCount = other.sentByteCount
        contentStart = other.contentStart
        fieldsStart = other.fieldsStart
        hasReason = other.hasReason
    }

    /// The same head, with content behind it, in memory that has no room for more.
    ///
    /// - Parameter body: Whole and at hand.
    /// - Complexity: O(*n*) in the bytes of both.
    func with(_ body: StoredBody) -> WireHead {
        let length = body.lengthAtHand ?? 0
        if length == 0, bytes.count == Int(contentStart) { return self }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(contentStart) + length)
        bytes += self.bytes[..<Int(contentStart)]
        body.withBytesAtHand { bytes += $0 }
        return WireHead(self, bytes: bytes)
    }

    /// The reason that came with the status; empty if none did.
    var reasonPhrase: String {
        // Behind "HTTP/1.1 200 ", before CR and LF.
        hasReason ? String(decoding: bytes[13..<(Int(fieldsStart) - 2)], as: UTF8.self) : ""
    }

    /// Reads the fields back.
    ///
    /// - Complexity: O(*n*) in the bytes.
    var fields: HTTPFields { withLines { HTTPFields($0) } }

    /// Calls `body` with the lines of all fields, also of those that the owner's policy has added.
    func withLines<Result>(_ body: (PlainLines) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes { try body(PlainLines(UnsafeRawBufferPointer(rebasing: $0[Int(fieldsStart)..<Int(contentStart)]))) }
    }

    /// Whether all of its fields are sent: the owner's policy has added nothing.
    var isSentWhole: Bool { sentByteCount == contentStart }

    /// With CR LF.
    var statusLine: ArraySlice<UInt8> { bytes[..<Int(fieldsStart)] }

    /// The reason that stands in the status line; `nil` for a status that is not sent as it is, or whose usual reason is not known here.
    private static func reason(of status: HTTPResponse.Status) -> String? {
        switch status.code {
        case ..<200, 204, 205, 206, 304, 600...: return nil
        default: break
        }
        if !status.reasonPhrase.isEmpty { return status.reasonPhrase }
        switch status.code {
        case 200: return "OK"
        case 301: return "Moved Permanently"
        case 302: return "Found"
        case 404: return "Not Found"
        case 410: return "Gone"
        default: return nil
        }
    }
}

extension UInt8 {
    /// Visible ASCII, the space and the tab.
    fileprivate var isPlainInWireHead: Bool { (0x20...0x7E).contains(self) || self == 0x09 }
}
