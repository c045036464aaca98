// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// A plain request that has been sent on by its bytes, and whose response may come back so. Used on the event loop of its client only.
package protocol Relay: AnyObject {
    /// The client's connection has ended. Nothing of the client must be used any more.
    func clientLeft()
}

/// The client of a ``Relay``. Used on its event loop only. One of ``answer(_:with:)``, ``answer(_:to:)`` and ``handOver(_:)`` is called, once, unless the client has left.
package protocol RelayedClient: AnyObject {
    var info: ConnectionInfo { get }
    /// An object that the responder keeps for the next request of the same client.
    var attachment: AnyObject? { get set }

    /// An empty buffer in which a response can be put together. It is given to ``answer(_:with:)``, or back.
    func takeOutput() -> ByteBuffer
    func giveBack(_ output: ByteBuffer)

    /// The response is about to be given, by ``answer(_:with:)``.
    ///
    /// - Returns: Whether its head has to have `Connection: close`.
    func beginAnswer() -> Bool

    /// Gives the client the response, from the status line on.
    func answer(_ output: ByteBuffer, with answer: ImmediateAnswer)

    /// Gives the client a response whose content is at hand.
    ///
    /// - Parameter request: Its request, parsed.
    func answer(_ response: HTTPServerResponse, to request: HTTPServerRequest)

    /// Has the request parsed after all, and answered in the ordinary way.
    func handOver(_ handover: RelayHandover)
}

/// A request that is answered in the ordinary way though it has been sent on already.
package struct RelayHandover {
    /// Takes the place of ``ImmediateResponder/begin(_:)``.
    package let begin: @Sendable (HTTPServerRequest) -> ImmediateBeginning
    /// The client gets another answer.
    package let forget: () -> Void

    package init(begin: @escaping @Sendable (HTTPServerRequest) -> ImmediateBeginning, forget: @escaping () -> Void) {
        self.begin = begin
        self.forget = forget
    }
}
