// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import HoardMessages

/// A response for a server to send.
///
/// The server frames it. It writes `Content-Length` from the body's length, or chunks a body whose length is not known; it drops
/// `Transfer-Encoding`, `Trailer`, `Keep-Alive` and `Connection`, after honouring `Connection: close`; and it adds `Date` where there is none.
/// Behind a body in chunks it sends the body's trailer fields, but for those that
/// [RFC 9110 §6.5.1](https://www.rfc-editor.org/rfc/rfc9110#section-6.5.1) forbids there; with other bodies they are dropped.
///
/// Only in responses to HEAD and in responses of status 304 is `Content-Length` sent as it was given, for there it describes content that is not sent.
///
/// If the body fails, or is longer or shorter than it said, the connection is closed in a way that shows the client that the response is incomplete.
package struct HTTPServerResponse: Sendable {
    /// Status and fields. A status below 200 is not a final one: the server sends 500 instead, unless 101 opens a WebSocket.
    package var head: HTTPResponse
    /// The content. It is asked for its next part when the client has taken most of the parts before.
    package var body: HTTPBody
    /// The handler's remark on its answer, for reports; `nil` if there is none.
    package var note: ExchangeNote?

    package init(head: HTTPResponse, body: HTTPBody = .empty, note: ExchangeNote? = nil) {
        self.head = head
        self.body = body
        self.note = note
    }
}
