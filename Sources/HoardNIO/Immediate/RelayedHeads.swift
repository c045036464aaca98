// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// Copies the heads of messages that are sent on by their bytes.
///
/// It understands plain messages only. Others have to be parsed.
package enum RelayedHeads {
    /// The most fields of a message.
    private static let maximumFieldCount = 128
    /// The longest head of a response.
    private static let maximumHeadByteCount = 16 << 10

    /// Copies the fields of a request that ``RequestScanner`` has found plain, without `Host` and those of the connection.
    ///
    /// - Parameter head: The whole head.
    /// - Returns: Whether that is all there is to it. Not if the request has a field that a proxy writes itself, or one whose name has an underscore, which some
    ///   servers take for a hyphen. Part of the fields may have been copied then.
    package static func copyFields(ofRequest head: UnsafeRawBufferPointer, to output: inout ByteBuffer) -> Bool {
        var cursor = HeadCursor(head, maximumFieldCount: maximumFieldCount)
        guard let start = cursor.endOfFirstLine() else { return false }
        cursor.index = start
        while true {
            if let end = cursor.takeEnd() { return end == .done }
            guard cursor.takeField() == .done else { return false }
            let name = cursor.name
            if cursor.isName(name, "host") || cursor.isName(name, "connection") { continue }
            if cursor.isName(name, "forwarded") || cursor.hasPrefix(name, "x-forwarded-") || cursor.hasPrefix(name, "client-cert") { return false }
            if name.contains(where: { head[$0] == UInt8(ascii: "_") }) { return false }
            output.writeBytes(UnsafeRawBufferPointer(rebasing: head[cursor.line]))
        }
    }

    /// A final response that is there as a whole.
    package struct Response {
        package fileprivate(set) var status = 0
        /// The bytes of the head, up to and with the empty line.
        package fileprivate(set) var headByteCount = 0
        /// The content behind it.
        package fileprivate(set) var contentByteCount = 0
        /// Where the value of `Cache-Control` is; `nil`: there is no such field.
        package fileprivate(set) var cacheControl: Range<Int>?
        /// Where the value of `Keep-Alive` is; `nil`: there is no such field.
        package fileprivate(set) var keepAlive: Range<Int>?
        /// Whether it can go on as it is copied, as far as the cache lets it. Not if it has no date, directives in several fields or for some caches alone, or
        /// depends on properties of a client that the cache does not see.
        package fileprivate(set) var isCopied = true
    }

    /// Reads a response and copies its status line and fields, without those of the connection.
    ///
    /// - Parameter bytes: All that has arrived.
    /// - Returns: `nil` if the response is not whole, if more has arrived than the response, if the connection does not stay open, or if anything about its framing is
    ///   not plain. Part of it may have been copied then.
    package static func copy(response bytes: UnsafeRawBufferPointer, to output: inout ByteBuffer) -> Response? {
        var cursor = HeadCursor(bytes, maximumFieldCount: maximumFieldCount)
        guard cursor.take("HTTP/1.1 ") == .done, let status = cursor.takeStatus(), let start = cursor.endOfFirstLine() else { return nil }
        var response = Response()
        response.status = status
        output.writeBytes(UnsafeRawBufferPointer(rebasing: bytes[..<start]))
        cursor.index = start
        var length: Int?
        var (hasDate, hasConnection) = (false, false)
        while true {
            if let end = cursor.takeEnd() {
                // A 304 has no content, whatever length it tells.
                let count = status == 304 ? 0 : length
                guard end == .done, cursor.index <= maximumHeadByteCount, let count, bytes.count - cursor.index == count else { return nil }
                response.headByteCount = cursor.index
                response.contentByteCount = count
                if !hasDate { response.isCopied = false }
                return response
            }
            guard cursor.takeField() == .done else { return nil }
            let (name, value) = (cursor.name, cursor.value)
            switch (name.count, bytes[name.lowerBound] | 0x20) {
            case (14, UInt8(ascii: "c")) where cursor.isName(name, "content-length"):
                guard length == nil, let number = cursor.number(in: value) else { return nil }
                length = number
            case (10, UInt8(ascii: "c")) where cursor.isName(name, "connection"):
                guard !hasConnection, cursor.isName(value, "keep-alive") else { return nil }
                hasConnection = true
                continue
            case (10, UInt8(ascii: "k")) where cursor.isName(name, "keep-alive"):
                guard response.keepAlive == nil else { return nil }
                response.keepAlive = value
                continue
            case (2, UInt8(ascii: "t")), (7, UInt8(ascii: "t")), (17, UInt8(ascii: "t")), (7, UInt8(ascii: "u")):
                guard !cursor.isName(name, "te"), !cursor.isName(name, "trailer"), !cursor.isName(name, "transfer-encoding"),
                    !cursor.isName(name, "upgrade")
                else { return nil }
            case (6..., UInt8(ascii: "p")) where cursor.hasPrefix(name, "proxy-"):
                return nil
            case (13, UInt8(ascii: "c")) where cursor.isName(name, "cache-control"):
                if response.cacheControl != nil { response.isCopied = false }
                response.cacheControl = value
            case (4, UInt8(ascii: "d")) where cursor.isName(name, "date"):
                if hasDate { response.isCopied = false }
                hasDate = true
            case (4, UInt8(ascii: "v")) where cursor.isName(name, "vary"):
                if cursor.contains(value, "forwarded") || cursor.contains(value, "client-cert") { response.isCopied = false }
            case (9..., _) where cursor.isName(name.upperBound - 8..<name.upperBound, "-control"),
                (6..., UInt8(ascii: "h")) where cursor.hasPrefix(name, "hoard-"):
                response.isCopied = false
            default:
                break
            }
            output.writeBytes(UnsafeRawBufferPointer(rebasing: bytes[cursor.line]))
        }
    }
}

extension HeadCursor {
    /// Reads the status of a final response that has content of its own and all of it, or none because of 304, and goes past it.
    fileprivate mutating func takeStatus() -> Int? {
        guard index + 4 <= bytes.count, bytes[index + 3] == UInt8(ascii: " "), let status = number(in: index..<index + 3) else { return nil }
        switch status {
        case 200...203, 207...599:
            index += 4
            return status
        default: return nil
        }
    }

    /// A number in at most nine decimal digits.
    fileprivate func number(in range: Range<Int>) -> Int? {
        guard (1...9).contains(range.count) else { return nil }
        var number = 0
        for index in range {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) else { return nil }
            number = number * 10 + Int(bytes[index] - UInt8(ascii: "0"))
        }
        return number
    }
}
