// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// The way to ask a connection to end, which depends on its protocol, once that is known.
///
/// It belongs to the connection's event loop.
final class ConnectionStage {
    private var isQuiescing = false
    private let channel: any Channel
    private let lingerTimeout: TimeAmount
    private var quiesceConnection: (() -> Void)?

    /// - Parameter lingerTimeout: How long a client that has said nothing yet may take to say something after the connection has been asked to end.
    init(_ channel: any Channel, lingerTimeout: TimeAmount) {
        (self.channel, self.lingerTimeout) = (channel, lingerTimeout)
    }

    /// Asks the connection to take no more requests.
    func quiesce() {
        isQuiescing = true
        if let quiesceConnection { return quiesceConnection() }
        channel.eventLoop.assumeIsolated().scheduleTask(in: lingerTimeout) {
            if self.quiesceConnection == nil { self.channel.close(promise: nil) }
        }
    }

    /// From now on the connection has its own way of ending.
    func begin(quiesce: @escaping () -> Void) {
        quiesceConnection = quiesce
        if isQuiescing { quiesce() }
    }
}
