// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import Hummingbird
internal import NIOCore

extension Request {
    /// The content as the cache sees it, which does not read it: its length tells whether there is any.
    ///
    /// HTTP/2 can send content without having announced it. A `GET` or `HEAD` that announces none has none: the meaning
    /// of its content is not defined ([RFC 9110 §9.3.1](https://www.rfc-editor.org/rfc/rfc9110#section-9.3.1)), and
    /// responses to others must not depend on it.
    var contentForCache: HTTPBody {
        if let text = headers[.contentLength] {
            return text == "0" ? .empty : HTTPBody(body, length: Int(text))
        }
        let mayHaveContent = headers.contains(.transferEncoding) || !(method == .get || method == .head)
        return mayHaveContent ? HTTPBody(body, length: nil) : .empty
    }
}

extension TransportResponse {
    /// Creates the response of a handler. A short body is asked for at once, as far as it writes itself without waiting. Any other is asked for when a reader wants it.
    ///
    /// - Parameters:
    ///   - content: The whole content, if it is at hand.
    ///   - isRead: Whether the body will be read.
    init(_ response: Response, content: ByteBuffer?, isRead: Bool, to method: HTTPRequest.Method) {
        var head = response.head
        let length = response.body.contentLength
        let body: HTTPBody
        switch response.status.code {
        case 204, 304:
            // Hummingbird writes the length of content that is not there.
            head.headerFields[.contentLength] = nil
            body = .empty
        default:
            if method == .head || length == 0 {
                body = .empty
            } else if let content {
                body = HTTPBody(content)
            } else {
                body = ResponseBodySource.content(of: response.body, isRead: isRead)
            }
        }
        self.init(head: head, body: body)
    }
}

extension Response {
    /// A response of the cache.
    init(_ head: HTTPResponse, _ body: HTTPBody, to method: HTTPRequest.Method) {
        let hasContent = method != .head && head.status.code != 204 && head.status.code != 304
        self.init(status: head.status, headers: head.headerFields, body: hasContent ? ResponseBody(body) : ResponseBody())
        // Hummingbird takes the length of the bytes that are sent for that of the content.
        if !hasContent, !head.headerFields.contains(.contentLength) { headers[.contentLength] = nil }
    }
}

extension ResponseBody {
    /// Writes a body as fast as it can be written, and stops reading it when that fails.
    init(_ body: HTTPBody) {
        if let bytes = body.bytesAtHand {
            self.init(byteBuffer: bytes)
        } else {
            self.init(contentLength: body.length) { writer in
                for try await part in body { try await writer.write(part) }
                try await writer.finish(body.trailers)
            }
        }
    }
}
