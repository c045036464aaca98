// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOSSL
internal import Synchronization

/// The certificates that a listener uses, and that can be exchanged while it listens.
final class ServerCertificates: Sendable {
    private struct State {
        var listener: HTTPServer.Listener
        var contexts: NamedContexts
    }

    private let clock: any WallClock
    private let state: Mutex<State>

    /// Loads the first certificates. That they have expired is no reason not to start.
    ///
    /// - Throws: ``TLSError``.
    init(_ listener: HTTPServer.Listener, clock: any WallClock) async throws {
        self.clock = clock
        state = Mutex(State(listener: listener, contexts: try await NamedContexts(listener, allowsExpired: true, clock: clock)))
    }

    /// The contexts for the next connections.
    var contexts: NamedContexts { state.withLock { $0.contexts } }

    /// Loads certificates, and tells whether they can be used; they are not used yet.
    ///
    /// - Parameter listener: Says where they come from; `nil`: from where they came before.
    /// - Returns: Puts them into use.
    /// - Throws: ``TLSError``.
    func prepare(_ listener: HTTPServer.Listener? = nil) async throws -> @Sendable () -> Void {
        let listener = listener ?? state.withLock { $0.listener }
        let contexts = try await NamedContexts(listener, allowsExpired: false, clock: clock)
        return { [self] in
            state.withLock { $0 = State(listener: listener, contexts: contexts) }
        }
    }
}
