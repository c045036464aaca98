// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Logging
internal import NIOSSL
internal import Synchronization

/// The certificates that a listener uses, and that can be exchanged while it listens.
final class ServerCertificates: Sendable {
    private struct State {
        var listener: HTTPServer.Listener
        var contexts: NamedContexts
    }

    private let clock: any WallClock
    private let logger: Logger
    private let state: Mutex<State>

    /// Loads the first certificates. That one of them has expired is no reason not to start, and is logged.
    ///
    /// - Throws: ``TLSError``.
    init(_ listener: HTTPServer.Listener, clock: any WallClock, logger: Logger) async throws {
        self.clock = clock
        self.logger = logger
        state = Mutex(State(listener: listener, contexts: try await NamedContexts(listener, clock: clock)))
        logWarnings()
    }

    /// The contexts for the next connections.
    var contexts: NamedContexts { state.withLock { $0.contexts } }

    /// Loads certificates, and tells whether they can be used; they are not used yet. One that has expired must not keep others from being exchanged, so it can.
    ///
    /// - Parameter listener: Says where they come from; `nil`: from where they came before.
    /// - Returns: Puts them into use, and logs which of them have expired.
    /// - Throws: ``TLSError``.
    func prepare(_ listener: HTTPServer.Listener? = nil) async throws -> @Sendable () -> Void {
        let listener = listener ?? state.withLock { $0.listener }
        let contexts = try await NamedContexts(listener, clock: clock)
        return { [self] in
            state.withLock { $0 = State(listener: listener, contexts: contexts) }
            logWarnings()
        }
    }

    private func logWarnings() {
        let (listener, contexts) = state.withLock { ($0.listener, $0.contexts) }
        for (hosts, reason) in contexts.warnings {
            let certificate = hosts.isEmpty ? "\(listener.address)" : "\(listener.address) for \(hosts.joined(separator: ", "))"
            logger.warning("Clients will refuse a certificate. \(reason)", metadata: ["certificate": "\(certificate)"])
        }
    }
}
