// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Reads the head of a request in one pass over its bytes, and understands simple ones only.
///
/// It is stricter than the parser behind it: what it takes for a request, the parser takes for the same request, which ends at the same byte. What is
/// odd in any way is left to the parser. ([RFC 9112 §2 to §5](https://www.rfc-editor.org/rfc/rfc9112#section-2))
package struct RequestScanner: Sendable {
    package enum Outcome {
        /// A GET or HEAD of HTTP/1.1 without content.
        case request(Head)
        /// What is there may become such a request.
        case incomplete
        /// Something else, or too long.
        case other
    }

    package struct Head {
        /// The bytes of the head, up to and with the empty line. The next request begins behind them.
        package var byteCount = 0
        package var isHead = false
        package var target = 0..<0
        package var host = 0..<0
        /// Whether nothing but target and host can matter to the answer, and both are in normal form.
        package var isPlain = true
        /// Whether there is a field `traceparent`: [W3C Trace Context §3.2](https://www.w3.org/TR/trace-context/#traceparent-header).
        package var belongsToTrace = false
    }

    /// The longest head that is read.
    private let maximumByteCount: Int
    private let maximumFieldCount: Int

    package init(maximumByteCount: Int, maximumFieldCount: Int) {
        self.maximumByteCount = maximumByteCount
        self.maximumFieldCount = maximumFieldCount
    }

    /// Complexity: O(*n*) in the bytes of the head.
    package func scan(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        var pass = Pass(bytes: bytes.prefix(maximumByteCount), fieldsLeft: maximumFieldCount)
        switch pass.run() {
        case .done: return .request(pass.head)
        case .short: return bytes.count < maximumByteCount ? .incomplete : .other
        case .odd: return .other
        }
    }
}

/// One pass over the bytes of a head.
private struct Pass {
    enum Result {
        case done
        /// The bytes have ended.
        case short
        case odd
    }

    let bytes: UnsafeRawBufferPointer
    var fieldsLeft: Int
    var head = RequestScanner.Head()
    private var index = 0
    private var hasHost = false

    init(bytes: Slice<UnsafeRawBufferPointer>, fieldsLeft: Int) {
        self.bytes = UnsafeRawBufferPointer(rebasing: bytes)
        self.fieldsLeft = fieldsLeft
    }

    mutating func run() -> Result {
        let line = requestLine()
        guard line == .done else { return line }
        while true {
            guard index < bytes.count else { return .short }
            if bytes[index] == .carriageReturn {
                guard index + 1 < bytes.count else { return .short }
                guard bytes[index + 1] == .lineFeed, hasHost else { return .odd }
                head.byteCount = index + 2
                return .done
            }
            let field = field()
            guard field == .done else { return field }
        }
    }

    // MARK: Request line

    private mutating func requestLine() -> Result {
        switch take("GET ") {
        case .done: break
        case .short: return .short
        case .odd:
            let method = take("HEAD ")
            guard method == .done else { return method }
            head.isHead = true
        }
        let target = target()
        guard target == .done else { return target }
        return take(" HTTP/1.1\r\n")
    }

    private mutating func target() -> Result {
        guard index < bytes.count else { return .short }
        guard bytes[index] == UInt8(ascii: "/") else { return .odd }
        let start = index
        while index < bytes.count {
            let byte = bytes[index]
            switch ByteClass.of(byte) {
            case .space:
                head.target = start..<index
                return .done
            case .plain:
                break
            case .dot:
                if bytes[index - 1] == UInt8(ascii: "/") { head.isPlain = false }
            case .percent:
                if !isNormalEncoding(at: index) { head.isPlain = false }
            case .invalid:
                return .odd
            }
            index += 1
        }
        return .short
    }

    /// Whether a percent sign stands before two capital digits that encode what must be encoded.
    private func isNormalEncoding(at index: Int) -> Bool {
        guard index + 2 < bytes.count, let high = bytes[index + 1].capitalHexDigit, let low = bytes[index + 2].capitalHexDigit else { return false }
        switch high << 4 | low {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): return false
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): return false
        default: return true
        }
    }

    private mutating func take(_ text: StaticString) -> Result {
        let count = min(text.utf8CodeUnitCount, bytes.count - index)
        for offset in 0..<count where bytes[index + offset] != text.utf8Start[offset] { return .odd }
        guard count == text.utf8CodeUnitCount else { return .short }
        index += count
        return .done
    }

    // MARK: Fields

    private mutating func field() -> Result {
        let start = index
        while index < bytes.count, FieldNameBytes.contains(bytes[index]) { index += 1 }
        guard index < bytes.count else { return .short }
        guard bytes[index] == UInt8(ascii: ":"), index > start, fieldsLeft > 0 else { return .odd }
        fieldsLeft -= 1
        let name = start..<index
        index += 1
        let valueStart = index
        skipValue()
        guard index + 1 < bytes.count else { return index < bytes.count && bytes[index] != .carriageReturn ? .odd : .short }
        guard bytes[index] == .carriageReturn, bytes[index + 1] == .lineFeed else { return .odd }
        let value = trimmed(valueStart..<index)
        index += 2
        return judge(name, value)
    }

    /// Goes on to the first byte that belongs to no value. Visible ASCII, spaces and tabs do.
    private mutating func skipValue() {
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // A bit for each byte that is below 0x20, is 0x7F, or is beyond ASCII. Bytes above such a byte may have one too, which does no harm.
            let control = (word &- 0x2020_2020_2020_2020) & ~word
            let difference = word ^ 0x7F7F_7F7F_7F7F_7F7F
            let delete = (difference &- 0x0101_0101_0101_0101) & ~difference
            guard (control | delete | word) & 0x8080_8080_8080_8080 == 0 else { break }
            index += 8
        }
        while index < bytes.count, (0x20...0x7E).contains(bytes[index]) || bytes[index] == 0x09 { index += 1 }
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        return start..<end
    }

    /// Takes note of what a field means for the answer. Most names are told apart by length and first letter alone.
    private mutating func judge(_ name: Range<Int>, _ value: Range<Int>) -> Result {
        let first = bytes[name.lowerBound] | 0x20
        switch (name.count, first) {
        case (4, UInt8(ascii: "h")) where isName(name, "host"):
            guard !hasHost else { return .odd }
            hasHost = true
            head.host = value
            if !isPlainHost(value) { head.isPlain = false }
        case (14, UInt8(ascii: "c")) where isName(name, "content-length"): return .odd
        case (17, UInt8(ascii: "t")) where isName(name, "transfer-encoding"): return .odd
        case (7, UInt8(ascii: "u")) where isName(name, "upgrade"): return .odd
        case (6, UInt8(ascii: "e")) where isName(name, "expect"): return .odd
        case (10, UInt8(ascii: "c")) where isName(name, "connection"):
            if isName(value, "keep-alive") { break }
            // After a request to close, and no other, the parser takes no more, and neither does the connection.
            guard isName(value, "close") else { return .odd }
            head.isPlain = false
        case (5, UInt8(ascii: "r")) where isName(name, "range"): head.isPlain = false
        case (6, UInt8(ascii: "p")) where isName(name, "pragma"): head.isPlain = false
        case (13, UInt8(ascii: "c")) where isName(name, "cache-control"): head.isPlain = false
        case (13, UInt8(ascii: "a")) where isName(name, "authorization"): head.isPlain = false
        case (2, UInt8(ascii: "t")) where isName(name, "te"): head.isPlain = false
        case (7, UInt8(ascii: "t")) where isName(name, "trailer"): head.isPlain = false
        case (11, UInt8(ascii: "t")) where isName(name, "traceparent"): head.belongsToTrace = true
        case (10, UInt8(ascii: "k")) where isName(name, "keep-alive"): head.isPlain = false
        case (3..., UInt8(ascii: "i")) where isName(name.lowerBound..<name.lowerBound + 3, "if-"): head.isPlain = false
        case (6..., UInt8(ascii: "p")) where isName(name.lowerBound..<name.lowerBound + 6, "proxy-"): head.isPlain = false
        default: break
        }
        return .done
    }

    /// Whether the bytes are this text of small letters and hyphens, in capitals or small letters.
    private func isName(_ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        for offset in 0..<range.count where bytes[range.lowerBound + offset].lowercasedLetter != text.utf8Start[offset] { return false }
        return true
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
        let digits = (index + 1)..<range.upperBound
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[$0]) }) else { return false }
        return digits.reduce(0) { $0 * 10 + Int(bytes[$1] - UInt8(ascii: "0")) } <= 65_535
    }
}

/// What a byte means in a request target.
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

/// The bytes of tokens: [RFC 9110 §5.6.2](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2).
private enum FieldNameBytes {
    /// A bit for each byte below 64, and one for each from 64 to 127.
    private static let low: UInt64 = bits("!#$%&'*+-.0123456789", from: 0)
    private static let high: UInt64 = bits("ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~", from: 64)

    private static func bits(_ text: StaticString, from first: UInt8) -> UInt64 {
        (0..<text.utf8CodeUnitCount).reduce(0) { $0 | 1 << UInt64(text.utf8Start[$1] - first) }
    }

    @inline(__always)
    static func contains(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: "-")
            || (byte < 64 ? low >> UInt64(byte) & 1 : byte < 128 ? high >> UInt64(byte - 64) & 1 : 0) == 1
    }

    @inline(__always)
    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}

extension UInt8 {
    fileprivate static var carriageReturn: UInt8 { 0x0D }
    fileprivate static var lineFeed: UInt8 { 0x0A }

    fileprivate var lowercasedLetter: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }

    fileprivate var capitalHexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
