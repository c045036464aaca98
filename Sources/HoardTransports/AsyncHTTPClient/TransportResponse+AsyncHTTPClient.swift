// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient
    internal import AsyncHTTPClient
    internal import HTTPTypes
    internal import HoardHTTP
    internal import HoardWire
    internal import NIOHTTP1

    extension TransportResponse {
        /// The client's response in this package's types. Its body keeps the transport.
        init(
            _ response: HTTPClientResponse,
            to request: HTTPRequest,
            origin: Destination,
            transport: AsyncHTTPClientTransport
        ) async throws {
            guard let status = HTTPResponse.Status(response.status), status.code >= 200, let fields = HTTPFields(response.headers) else {
                throw TransportError(.invalidResponse, at: origin)
            }
            let head = HTTPResponse(status: status, headerFields: fields)
            let length = fields.contentLength
            // There is nothing to read. The length in the first three kinds of head is that of content that is not sent.
            guard request.method != .head, status.code != 304, status.code != 204, length != 0 else {
                // The end has come with the head. Taking it lets the client use the connection again.
                for try await _ in response.body {}
                self.init(head: head, body: .empty)
                return
            }
            let parts = ResponseBody(response.body, length: length) { TransportError($0, origin: origin, configuration: transport.configuration) }
            self.init(head: head, body: HTTPBody(parts, length: length))
        }
    }
#endif
