// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardMessages
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP1

/// How a response is written on a stream: its head with the fields that HTTP/2 allows, and how much content follows.
struct StreamPlan: PlannedResponse {
    let headers: HPACKHeaders
    let status: Int
    let content: ResponsePlan.Content
    let body: HTTPBody
    let note: ExchangeNote?
    /// The stream becomes a WebSocket.
    let opensWebSocket: Bool

    init(_ response: HTTPServerResponse, to request: HTTPServerRequest, clock: any WallClock) {
        opensWebSocket = ResponsePlan.opensWebSocket(response, request)
        var response = response.head.status.code >= 200 || opensWebSocket ? response : ResponsePlan.failure
        if opensWebSocket { response.head.status = .ok }
        let (content, lengthField) = opensWebSocket ? (.untilClose, nil) : ResponsePlan.framing(of: response, to: request)
        headers = HPACKHeaders(response.head, contentLength: lengthField, date: HTTPDate(clock.now()).description)
        status = response.head.status.code
        self.content = content
        body = response.body
        note = response.note
    }

    /// The response that is sent instead of one whose head the client does not take.
    static func headTooLarge(clock: any WallClock) -> StreamPlan {
        let request = HTTPServerRequest(head: HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil), version: .http2, remoteAddress: "")
        return StreamPlan(HTTPServerResponse(head: HTTPResponse(status: .internalServerError), body: .empty), to: request, clock: clock)
    }
}
