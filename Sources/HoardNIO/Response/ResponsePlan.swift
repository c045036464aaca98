// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardMessages
internal import HoardWire
internal import NIOHTTP1

/// The plan by which a response is written: its head with the fields that belong to the connection, and the mark that
/// ends its content.
///
/// [RFC 9112 §6](https://www.rfc-editor.org/rfc/rfc9112#section-6)
struct ResponsePlan: PlannedResponse {
    enum Content: Hashable, Sendable {
        /// None is sent, whatever the body holds.
        case none
        case bytes(Int)
        case chunked
        /// For clients that know no chunks: all that comes until the connection is closed.
        case untilClose
    }

    let head: HTTPResponseHead
    let content: Content
    let body: HTTPBody

    /// - Parameter date: The `Date` field's value if the response has none. Only asked for then.
    init(_ response: HTTPServerResponse, to request: HTTPServerRequest, keepsAlive: Bool, date: @autoclosure () -> String) {
        let opensWebSocket = Self.opensWebSocket(response, request)
        let response = response.head.status.code >= 200 || opensWebSocket ? response : Self.failure
        let (content, lengthField) = Self.framing(of: response, to: request)
        var headers = HTTPHeaders()
        headers.reserveCapacity(response.head.headerFields.count + 3)
        var lacksDate = true
        var closes = !keepsAlive || content == .untilClose
        var pendingLength = lengthField
        for field in response.head.headerFields {
            switch field.name.canonicalName {
            case "transfer-encoding", "keep-alive", "trailer":
                continue
            case "upgrade" where opensWebSocket, "content-length" where opensWebSocket:
                continue
            case "connection":
                closes = closes || field.value.split(separator: ",").contains { $0.trimmingSpaces.lowercased() == "close" }
                continue
            case "content-length":
                guard let length = pendingLength else { continue }
                headers.add(name: field.name.rawName, value: length)
                pendingLength = nil
                continue
            case "date":
                lacksDate = false
            default:
                break
            }
            headers.add(name: field.name.rawName, value: field.value)
        }
        if let pendingLength { headers.add(name: "Content-Length", value: pendingLength) }
        if content == .chunked { headers.add(name: "Transfer-Encoding", value: "chunked") }
        if lacksDate { headers.add(name: "Date", value: date()) }
        if opensWebSocket {
            headers.add(name: "Connection", value: "Upgrade")
            headers.add(name: "Upgrade", value: "websocket")
        } else if closes {
            headers.add(name: "Connection", value: "close")
        } else if request.version == .http1_0 {
            headers.add(name: "Connection", value: "keep-alive")
        }
        self.head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(response.head.status), headers: headers)
        self.content = content
        self.body = response.body
    }

    /// The response that is sent instead of one that is not final.
    static let failure = HTTPServerResponse(
        head: HTTPResponse(status: .internalServerError, headerFields: [.contentType: "text/plain; charset=utf-8"]),
        body: HTTPBody("The server has no final response to this request.\n")
    )

    /// Whether the response opens the WebSocket that the request asks for.
    static func opensWebSocket(_ response: HTTPServerResponse, _ request: HTTPServerRequest) -> Bool {
        request.opensWebSocket && response.head.status == .switchingProtocols
    }

    /// Returns how the content ends, and the value of `Content-Length` if it is to be sent.
    static func framing(of response: HTTPServerResponse, to request: HTTPServerRequest) -> (Content, lengthField: String?) {
        if opensWebSocket(response, request) { return (.untilClose, nil) }
        let status = response.head.status.code
        if status == 204 { return (.none, nil) }
        if status == 304 || request.head.method == .head {
            // Of a field that was given twice the first counts; HTTPFields would join the two.
            let given = response.head.headerFields[values: .contentLength].first
            return (.none, given.flatMap { Int($0) }.flatMap { $0 >= 0 ? "\($0)" : nil })
        }
        if status == 205 { return (.none, "0") }
        if let length = response.body.length { return (.bytes(length), "\(length)") }
        return (request.version == .http1_0 ? .untilClose : .chunked, nil)
    }
}
