// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import Synchronization

/// The state that all connections of a server share.
final class ServerContext: Sendable {
    let responder: Responder
    let registry: ConnectionRegistry
    let logger: Logger
    private let configurationInUse: Mutex<HTTPServer.Configuration>

    init(_ configuration: HTTPServer.Configuration, responder: Responder, registry: ConnectionRegistry, logger: Logger) {
        self.responder = responder
        self.registry = registry
        self.logger = logger
        configurationInUse = Mutex(configuration)
    }

    /// The configuration that holds for the next connection.
    var configuration: HTTPServer.Configuration { configurationInUse.withLock { $0 } }

    func update(_ configuration: HTTPServer.Configuration) {
        configurationInUse.withLock { $0 = configuration }
        registry.setMaximumCount(configuration.maximumConnectionCount)
    }
}
