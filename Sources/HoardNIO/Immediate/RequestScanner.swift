// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Reads the head of a request in one pass over its bytes, and understands simple ones only.
///
/// It is stricter than the parser behind it: if it takes bytes for a request, the parser takes them for the same
/// request, which ends at the same byte. A request that is odd in any way is left to the parser.
/// ([RFC 9112 §2 to §5](https://www.rfc-editor.org/rfc/rfc9112#section-2))
package struct RequestScanner: Sendable {
    package enum Outcome {
        /// A GET or HEAD of HTTP/1.1 without content, or the head of a QUERY, whose content may be on its way.
        case request(Head)
        /// The bytes so far may become such a request.
        case incomplete
        /// Something else, or too long.
        case other
    }

    package struct Head {
        /// The bytes of the head, up to and with the empty line. The content of a QUERY begins behind them, and behind that the next request.
        package var byteCount = 0
        package var method = Method.get
        /// The value of `Content-Type`; `nil` if there is none.
        package var contentType: Range<Int>?
        /// The value of `Content-Length`; `nil` if there is none.
        package var contentByteCount: Int?
        package var target = 0..<0
        package var host = 0..<0
        /// The value of `Accept-Encoding`; `nil` if there is none.
        package var acceptEncoding: Range<Int>?
        /// Whether nothing but target and host can matter to the answer, and both are in normal form.
        package var isPlain = true
        /// Whether there is a field `traceparent`: [W3C Trace Context §3.2](https://www.w3.org/TR/trace-context/#traceparent-header).
        package var belongsToTrace = false

        package enum Method: Sendable {
            case get, head, query
        }

        /// The bytes of the whole request.
        package var requestByteCount: Int { byteCount + (contentByteCount ?? 0) }
    }

    /// The most bytes that the content of a QUERY may have.
    private static let maximumContentByteCount = 16 << 10

    /// The longest head that is read.
    private let maximumByteCount: Int
    private let maximumFieldCount: Int

    package init(maximumByteCount: Int, maximumFieldCount: Int) {
        self.maximumByteCount = maximumByteCount
        self.maximumFieldCount = maximumFieldCount
    }

    /// Complexity: O(*n*) in the bytes of the head.
    package func scan(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        var pass = Pass(bytes: bytes.prefix(maximumByteCount), maximumFieldCount: maximumFieldCount)
        switch pass.run() {
        case .done:
            // A QUERY whose length is not said, or is beyond that, is the parser's alone.
            if pass.head.method == .query, pass.head.contentByteCount ?? .max > Self.maximumContentByteCount { return .other }
            return .request(pass.head)
        case .short: return bytes.count < maximumByteCount ? .incomplete : .other
        case .odd: return .other
        }
    }
}

/// One pass over the bytes of a head.
private struct Pass {
    typealias Result = HeadCursor.Result

    private var cursor: HeadCursor
    var head = RequestScanner.Head()
    private var hasHost = false

    init(bytes: Slice<UnsafeRawBufferPointer>, maximumFieldCount: Int) {
        cursor = HeadCursor(UnsafeRawBufferPointer(rebasing: bytes), maximumFieldCount: maximumFieldCount)
    }

    private var bytes: UnsafeRawBufferPointer { cursor.bytes }

    mutating func run() -> Result {
        let line = requestLine()
        guard line == .done else { return line }
        while true {
            if let end = cursor.takeEnd() {
                guard end == .done else { return end }
                guard hasHost else { return .odd }
                head.byteCount = cursor.index
                return .done
            }
            let field = cursor.takeField()
            guard field == .done else { return field }
            let judgement = judge(cursor.name, cursor.value)
            guard judgement == .done else { return judgement }
        }
    }

    // MARK: Request line

    private mutating func requestLine() -> Result {
        switch cursor.take("GET ") {
        case .done: break
        case .short: return .short
        case .odd:
            switch cursor.take("HEAD ") {
            case .done: head.method = .head
            case .short: return .short
            case .odd:
                let method = cursor.take("QUERY ")
                guard method == .done else { return method }
                head.method = .query
            }
        }
        let target = target()
        guard target == .done else { return target }
        return cursor.take(" HTTP/1.1\r\n")
    }

    private mutating func target() -> Result {
        guard cursor.index < bytes.count else { return .short }
        guard bytes[cursor.index] == UInt8(ascii: "/") else { return .odd }
        let start = cursor.index
        while cursor.index < bytes.count {
            let byte = bytes[cursor.index]
            switch ByteClass.of(byte) {
            case .space:
                head.target = start..<cursor.index
                return .done
            case .plain:
                break
            case .dot:
                if bytes[cursor.index - 1] == UInt8(ascii: "/") { head.isPlain = false }
            case .percent:
                if !isNormalEncoding(at: cursor.index) { head.isPlain = false }
            case .invalid:
                return .odd
            }
            cursor.index += 1
        }
        return .short
    }

    /// Whether a percent sign stands before two capital digits that encode a character that must be encoded.
    private func isNormalEncoding(at index: Int) -> Bool {
        guard index + 2 < bytes.count, let high = bytes[index + 1].capitalHexDigit, let low = bytes[index + 2].capitalHexDigit else { return false }
        switch high << 4 | low {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): return false
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): return false
        default: return true
        }
    }

    // MARK: Fields

    /// Notes the meaning of a field for the answer. Most names are told apart by length and first letter alone.
    private mutating func judge(_ name: Range<Int>, _ value: Range<Int>) -> Result {
        let first = bytes[name.lowerBound] | 0x20
        switch (name.count, first) {
        case (4, UInt8(ascii: "h")) where cursor.isName(name, "host"):
            guard !hasHost else { return .odd }
            hasHost = true
            head.host = value
            if !isPlainHost(value) { head.isPlain = false }
        case (14, UInt8(ascii: "c")) where cursor.isName(name, "content-length"):
            // The parser does not take tabs around it.
            guard head.method == .query, head.contentByteCount == nil, let count = plainNumber(value),
                !bytes[name.upperBound...].prefix(while: { $0 != UInt8(ascii: "\r") }).contains(UInt8(ascii: "\t"))
            else { return .odd }
            head.contentByteCount = count
        case (12, UInt8(ascii: "c")) where cursor.isName(name, "content-type"):
            if head.contentType != nil { head.isPlain = false }
            head.contentType = value
        // They say how content is to be read.
        case (8..., UInt8(ascii: "c")) where cursor.isName(name.lowerBound..<name.lowerBound + 8, "content-") && head.method == .query:
            head.isPlain = false
        case (17, UInt8(ascii: "t")) where cursor.isName(name, "transfer-encoding"): return .odd
        case (7, UInt8(ascii: "u")) where cursor.isName(name, "upgrade"): return .odd
        case (6, UInt8(ascii: "e")) where cursor.isName(name, "expect"): return .odd
        case (10, UInt8(ascii: "c")) where cursor.isName(name, "connection"):
            if cursor.isName(value, "keep-alive") { break }
            // After a request to close, and no other, the parser takes no more, and neither does the connection.
            guard cursor.isName(value, "close") else { return .odd }
            head.isPlain = false
        case (5, UInt8(ascii: "r")) where cursor.isName(name, "range"): head.isPlain = false
        case (6, UInt8(ascii: "p")) where cursor.isName(name, "pragma"): head.isPlain = false
        case (13, UInt8(ascii: "c")) where cursor.isName(name, "cache-control"): head.isPlain = false
        case (13, UInt8(ascii: "a")) where cursor.isName(name, "authorization"): head.isPlain = false
        case (15, UInt8(ascii: "a")) where cursor.isName(name, "accept-encoding"):
            if head.acceptEncoding != nil { head.isPlain = false }
            head.acceptEncoding = value
        case (20, UInt8(ascii: "a")) where cursor.isName(name, "available-dictionary"): head.isPlain = false
        case (2, UInt8(ascii: "t")) where cursor.isName(name, "te"): head.isPlain = false
        case (7, UInt8(ascii: "t")) where cursor.isName(name, "trailer"): head.isPlain = false
        case (11, UInt8(ascii: "t")) where cursor.isName(name, "traceparent"): head.belongsToTrace = true
        case (10, UInt8(ascii: "k")) where cursor.isName(name, "keep-alive"): head.isPlain = false
        case (3..., UInt8(ascii: "i")) where cursor.isName(name.lowerBound..<name.lowerBound + 3, "if-"): head.isPlain = false
        case (6..., UInt8(ascii: "p")) where cursor.isName(name.lowerBound..<name.lowerBound + 6, "proxy-"): head.isPlain = false
        case (5..., UInt8(ascii: "w")) where cursor.isName(name.lowerBound..<name.lowerBound + 5, "want-"): head.isPlain = false
        default: break
        }
        return .done
    }

    /// A number of at most seven digits.
    private func number(_ range: Range<Int>) -> Int? {
        guard range.count <= 7, range.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[$0]) }) else { return nil }
        return range.reduce(0) { $0 * 10 + Int(bytes[$1] - UInt8(ascii: "0")) }
    }

    /// The same, where no zero stands in front of another digit and there is a digit.
    private func plainNumber(_ range: Range<Int>) -> Int? {
        guard !range.isEmpty, range.count == 1 || bytes[range.lowerBound] != UInt8(ascii: "0") else { return nil }
        return number(range)
    }

    /// Whether it is a name or an IPv4 address, and perhaps a port of at most four digits.
    private func isPlainHost(_ range: Range<Int>) -> Bool {
        var index = range.lowerBound
        while index < range.upperBound,
            FieldNameBytes.isLetterOrDigit(bytes[index]) || bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: ".")
        {
            index += 1
        }
        guard index > range.lowerBound else { return false }
        guard index < range.upperBound else { return true }
        guard bytes[index] == UInt8(ascii: ":"), range.upperBound - index <= 6 else { return false }
        return number(index + 1..<range.upperBound).map { $0 <= 65_535 } ?? false
    }
}

/// The meaning of a byte in a request target.
private enum ByteClass {
    case plain, dot, percent, space, invalid

    @inline(__always)
    static func of(_ byte: UInt8) -> ByteClass {
        switch byte {
        case UInt8(ascii: " "): .space
        case UInt8(ascii: "."): .dot
        case UInt8(ascii: "%"): .percent
        case UInt8(ascii: "#"): .invalid
        case 0x21...0x7E: .plain
        default: .invalid
        }
    }
}

extension UInt8 {
    fileprivate var capitalHexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
