// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import HTTPTypes
internal import HoardHTTP
internal import HoardTransports

/// A cache mode on the command line.
enum CacheModeArgument: String, CaseIterable, ExpressibleByArgument {
    case `default`
    case noStore = "no-store"
    case reload
    case noCache = "no-cache"
    case forceCache = "force-cache"
    case onlyIfCached = "only-if-cached"

    var mode: RequestCacheMode {
        switch self {
        case .default: .default
        case .noStore: .noStore
        case .reload: .reload
        case .noCache: .noCache
        case .forceCache: .forceCache
        case .onlyIfCached: .onlyIfCached
        }
    }
}

/// A transport on the command line.
enum TransportArgument: String, CaseIterable, ExpressibleByArgument {
    case ahc, nio, urlsession

    func make() throws(TransportError) -> (transport: any Transport, shutdown: () async -> Void) {
        switch self {
        case .ahc:
            let transport = AsyncHTTPClientTransport()
            return (transport, { await transport.shutdown() })
        case .nio:
            let transport = NIOTransport()
            return (transport, { await transport.shutdown() })
        case .urlsession:
            let transport = URLSessionTransport()
            return (transport, { transport.shutdown() })
        }
    }
}

/// A field on the command line: `Name: value`.
struct RequestField: ExpressibleByArgument, Sendable {
    let field: HTTPField

    init?(argument: String) {
        guard let colon = argument.firstIndex(of: ":"), let name = HTTPField.Name(String(argument[..<colon])) else { return nil }
        let value = argument[argument.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        guard HTTPField.isValidValue(value) else { return nil }
        self.field = HTTPField(name: name, value: value)
    }
}
