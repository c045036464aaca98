// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// How a connection is asked to end, which depends on what is spoken on it, once that is known.
///
/// It belongs to the connection's event loop.
final class ConnectionStage {
    private(set) var isQuiescing = false
    private var quiesceConnection: () -> Void

    /// - Parameter close: Closes a connection of which nothing is known yet.
    init(close: @escaping () -> Void) {
        quiesceConnection = close
    }

    /// Asks the connection to take no more requests.
    func quiesce() {
        isQuiescing = true
        quiesceConnection()
    }

    /// From now on the connection has its own way of ending.
    func begin(quiesce: @escaping () -> Void) {
        quiesceConnection = quiesce
        if isQuiescing { quiesce() }
    }
}
