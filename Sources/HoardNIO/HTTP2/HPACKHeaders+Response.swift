// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardMessages
internal import HoardWire
internal import NIOHPACK
internal import NIOHTTP1

extension HPACKHeaders {
    /// The head of a final response, without fields that HTTP/2 forbids: [RFC 9113 §8.2.2](https://www.rfc-editor.org/rfc/rfc9113#section-8.2.2).
    ///
    /// - Parameters:
    ///   - contentLength: The value of `Content-Length`, if it is to be sent.
    ///   - date: The `Date` field's value if the response has none. Only asked for then.
    init(_ response: HTTPResponse, contentLength: String?, date: @autoclosure () -> String) {
        self.init()
        reserveCapacity(response.headerFields.count + 3)
        add(name: ":status", value: "\(response.status.code)")
        var lacksDate = true
        var pendingLength = contentLength
        for field in response.headerFields.removingHopByHopFields() {
            switch field.name.canonicalName {
            case "trailer":
                continue
            case "content-length":
                guard let length = pendingLength else { continue }
                add(name: "content-length", value: length)
                pendingLength = nil
                continue
            case "date":
                lacksDate = false
            default:
                break
            }
            add(name: field.name.canonicalName, value: field.value)
        }
        if let pendingLength { add(name: "content-length", value: pendingLength) }
        if lacksDate { add(name: "date", value: date()) }
    }

    /// The head of an interim response, or `nil` for a status that is not passed on.
    init?(interim response: HTTPResponse) {
        guard (102...199).contains(response.status.code) else { return nil }
        self.init()
        add(name: ":status", value: "\(response.status.code)")
        for field in response.headerFields.removingHopByHopFields() where field.name != .contentLength {
            add(name: field.name.canonicalName, value: field.value)
        }
    }

    /// The fields that may stand behind the content, or `nil` if there are none.
    init?(trailers: HTTPFields?) {
        guard let headers = HTTPHeaders(trailers: trailers) else { return nil }
        self.init()
        for (name, value) in headers { add(name: name.lowercased(), value: value) }
    }
}
