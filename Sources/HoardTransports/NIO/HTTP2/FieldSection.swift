// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardWire
internal import NIOHPACK
internal import NIOHTTP1

/// The fields of a response or of its end, after every rule that keeps them from being misread:
/// [RFC 9113 §8.2](https://www.rfc-editor.org/rfc/rfc9113#section-8.2), [§8.3.2](https://www.rfc-editor.org/rfc/rfc9113#section-8.3.2).
struct FieldSection {
    /// `nil` behind the content.
    let status: HTTPResponse.Status?
    let fields: HTTPFields
    /// The value of `Content-Length`.
    private let announcedLength: Int?

    /// - Returns: `nil` if a rule is broken.
    init?(_ headers: HPACKHeaders, limits: NIOTransport.Limits) {
        guard headers.count <= limits.maximumFieldCount else { return nil }
        var byteCount = 0
        var status: HTTPResponse.Status?
        var fields = HTTPFields()
        fields.reserveCapacity(headers.count)
        var announcedLength: Int?
        for (name, value, _) in headers {
            byteCount += name.utf8.count + value.utf8.count
            guard byteCount <= limits.maximumHeadByteCount else { return nil }
            if name.utf8.first == UInt8(ascii: ":") {
                guard name == ":status", status == nil, fields.isEmpty, value.utf8.count == 3, let code = Int(contentLength: value), code >= 100
                else {
                    return nil
                }
                status = HTTPResponse.Status(code: code)
                continue
            }
            guard !name.utf8.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }), let field = HTTPField(name: name, line: value)
            else { return nil }
            switch name {
            case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade": return nil
            case "content-length":
                guard let length = Int(contentLength: value), announcedLength == nil || announcedLength == length else { return nil }
                announcedLength = length
            default: break
            }
            fields.append(field)
        }
        self.status = status
        self.fields = fields
        self.announcedLength = announcedLength
    }

    /// How much content follows: [RFC 9110 §8.6](https://www.rfc-editor.org/rfc/rfc9110#section-8.6). `nil` if that is not known.
    func contentLength(isResponseToHead: Bool) -> Int? {
        guard let code = status?.code else { return nil }
        return isResponseToHead || code == 204 || code == 304 ? 0 : announcedLength
    }
}

extension HPACKHeaders {
    /// A request as it goes to the origin: [RFC 9113 §8.3.1](https://www.rfc-editor.org/rfc/rfc9113#section-8.3.1).
    init(_ request: OutgoingRequest) {
        self.init()
        let head = request.head
        reserveCapacity(head.headers.count + 3)
        add(name: ":method", value: head.method.rawValue)
        add(name: ":scheme", value: request.scheme)
        add(name: ":authority", value: request.authority)
        add(name: ":path", value: head.uri)
        for (name, value) in head.headers {
            let name = name.lowercased()
            switch name {
            case "host", "transfer-encoding": break
            // Never kept in a table that an attacker could probe: RFC 7541 §7.1.3.
            case "authorization", "cookie": add(name: name, value: value, indexing: .neverIndexed)
            default: add(name: name, value: value)
            }
        }
    }
}
