// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import HTTPTypes
internal import HoardNIO
internal import NIOHTTP1

extension HTTPClientRequest {
    /// The request as the client sends it, without its content.
    init(_ request: HTTPRequest, to origin: Origin) {
        self.init(url: origin.url)
        method = HTTPMethod(request.method)
        // Given here it is sent as it is; the client's own would leave out a default port.
        headers.add(name: "Host", value: origin.authority)
        for field in request.headerFields where !field.name.belongsToConnection {
            headers.add(name: field.name.rawName, value: field.value)
        }
    }
}

extension HTTPField.Name {
    /// Whether the transport decides on the field and not who uses it: [RFC 9110 §7.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1).
    fileprivate var belongsToConnection: Bool {
        switch canonicalName {
        case "host", "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection", "te", "upgrade", "expect": true
        default: false
        }
    }
}
