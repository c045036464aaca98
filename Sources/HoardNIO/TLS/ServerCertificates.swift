// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOSSL
internal import Synchronization

/// The certificates that a listener shows to its next client. They can be replaced while connections are open.
final class ServerCertificates: Sendable {
    private let isHTTP2Enabled: Bool
    private let clock: any WallClock
    private let state: Mutex<(credentials: TLSCredentials, context: NIOSSLContext)>

    /// Loads the first certificates. That they have expired is no reason not to start.
    ///
    /// - Throws: ``TLSError``.
    init(_ credentials: TLSCredentials, isHTTP2Enabled: Bool, clock: any WallClock) async throws {
        self.isHTTP2Enabled = isHTTP2Enabled
        self.clock = clock
        let context = try await credentials.makeContext(isHTTP2Enabled: isHTTP2Enabled, allowsExpired: true, clock: clock)
        state = Mutex((credentials, context))
    }

    /// What the next connection is encrypted with.
    var context: NIOSSLContext { state.withLock { $0.context } }

    /// Loads certificates, and tells whether they can be used; they are not used yet.
    ///
    /// - Parameter credentials: `nil`: the same ones, read anew.
    /// - Returns: Puts them into use.
    /// - Throws: ``TLSError``.
    func prepare(_ credentials: TLSCredentials? = nil) async throws -> @Sendable () -> Void {
        let credentials = credentials ?? state.withLock { $0.credentials }
        let context = try await credentials.makeContext(isHTTP2Enabled: isHTTP2Enabled, allowsExpired: false, clock: clock)
        return { [self] in
            state.withLock { $0 = (credentials, context) }
        }
    }
}
