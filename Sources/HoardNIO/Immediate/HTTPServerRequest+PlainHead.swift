// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import HoardMessages
package import NIOCore

extension HTTPServerRequest {
    /// Parses a plain GET, as the parser does.
    ///
    /// - Parameter plainHead: A head that ``RequestScanner`` has found plain.
    /// - Returns: `nil` if it is none.
    /// - Complexity: O(*n*) in the bytes of the head.
    package init?(plainHead: ByteBuffer, from info: ConnectionInfo) {
        let head = plainHead.withUnsafeReadableBytes { bytes -> HTTPRequest? in
            guard case .request(let scanned) = RequestScanner(maximumByteCount: .max, maximumFieldCount: .max).scan(bytes), scanned.isPlain,
                scanned.method == .get
            else { return nil }
            func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
            var request = HTTPRequest(method: .get, scheme: info.scheme, authority: text(scanned.host), path: text(scanned.target))
            guard let fields = HTTPFields(plainHead: bytes, without: "host") else { return nil }
            request.headerFields = fields
            return request
        }
        guard let head else { return nil }
        self.init(head: head, remoteAddress: info.remoteAddress, clientCertificate: info.clientCertificate)
    }
}

extension HTTPResponse {
    /// Parses the head of a response that ``RelayedHeads`` has read, as the parser does.
    ///
    /// - Returns: `nil` if it is none.
    /// - Complexity: O(*n*) in the bytes of the head.
    package init?(plainHead: UnsafeRawBufferPointer) {
        guard let status = Status(plainHead: plainHead), let fields = HTTPFields(plainHead: plainHead) else { return nil }
        self.init(status: status, headerFields: fields)
    }
}

extension HTTPResponse.Status {
    fileprivate init?(plainHead: UnsafeRawBufferPointer) {
        // "HTTP/1.1 200"
        guard plainHead.count > 12, let code = Int(String(decoding: plainHead[9..<12], as: UTF8.self)) else { return nil }
        var line = HeadCursor(plainHead, maximumFieldCount: 0)
        line.skipValue()
        self.init(code: code, reasonPhrase: line.index > 13 ? String(decoding: plainHead[13..<line.index], as: UTF8.self) : "")
    }
}

extension PlainResponseHead {
    /// Reads a head that ``RelayedHeads`` has copied.
    ///
    /// - Parameter isJudged: Whether a field is wanted in ``judged``, by its name.
    /// - Returns: `nil` if a line of it has another form.
    /// - Complexity: O(*n*) in the bytes.
    package init?(copied bytes: UnsafeRawBufferPointer, isJudged: (UnsafeRawBufferPointer) -> Bool) {
        var cursor = HeadCursor(bytes, maximumFieldCount: .max)
        guard let status = HTTPResponse.Status(plainHead: bytes), let start = cursor.endOfFirstLine() else { return nil }
        cursor.index = start
        var fields = HTTPFields()
        var count = 0
        while cursor.takeEnd() == nil {
            guard cursor.takeField() == .done else { return nil }
            let (name, value) = (cursor.name, cursor.value)
            guard value.lowerBound == name.upperBound + 2, bytes[name.upperBound + 1] == UInt8(ascii: " "),
                value.upperBound + 2 == cursor.line.upperBound
            else { return nil }
            count += 1
            guard isJudged(UnsafeRawBufferPointer(rebasing: bytes[name])) else { continue }
            guard let fieldName = HTTPField.Name(String(decoding: bytes[name], as: UTF8.self)) else { return nil }
            fields.append(HTTPField(name: fieldName, value: String(decoding: bytes[value], as: UTF8.self)))
        }
        self.init(bytes: bytes, fieldsStart: start, fieldCount: count, judged: HTTPResponse(status: status, headerFields: fields))
    }
}

extension HTTPFields {
    /// The fields of a head that consists of plain lines.
    fileprivate init?(plainHead bytes: UnsafeRawBufferPointer, without excluded: StaticString? = nil) {
        self.init()
        var cursor = HeadCursor(bytes, maximumFieldCount: .max)
        guard let start = cursor.endOfFirstLine() else { return nil }
        cursor.index = start
        while cursor.takeEnd() == nil {
            guard cursor.takeField() == .done else { return nil }
            if let excluded, cursor.isName(cursor.name, excluded) { continue }
            guard let name = HTTPField.Name(String(decoding: bytes[cursor.name], as: UTF8.self)) else { return nil }
            append(HTTPField(name: name, value: String(decoding: bytes[cursor.value], as: UTF8.self)))
        }
    }
}
