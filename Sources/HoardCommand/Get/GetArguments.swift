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
    case nio
    #if URLSession
        case urlsession
    #endif
    #if AsyncHTTPClient
        case ahc
    #endif

    func make() throws(TransportError) -> (transport: any Transport, shutdown: () async -> Void) {
        switch self {
        #if AsyncHTTPClient
            case .ahc:
                let transport = AsyncHTTPClientTransport()
                return (transport, { await transport.shutdown() })
        #endif
        case .nio:
            let transport = NIOTransport()
            return (transport, { await transport.shutdown() })
        #if URLSession
            case .urlsession:
                let transport = URLSessionTransport()
                return (transport, { transport.shutdown() })
        #endif
        }
    }
}

/// How requests are sent: the options that `get` and `view` share.
struct TransferOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("A request field to send, such as 'Accept-Language: pt'. Can be repeated.", valueName: "name:value")
    )
    var header: [RequestField] = []

    @Option(name: .long, help: ArgumentHelp("The most seconds a transfer may take, redirects included.", valueName: "seconds"))
    var maxTime: Double?

    @Option(name: .long, help: "What sends the requests: Hoard's own client on SwiftNIO or, if built in, URLSession or AsyncHTTPClient.")
    var transport = TransportArgument.nio

    /// All fields, those of one name in their order.
    var fields: HTTPFields {
        var fields = HTTPFields()
        for field in header { fields.append(field.field) }
        return fields
    }

    var timeout: Duration? { maxTime.map { .seconds($0) } }

    func validate() throws {
        if let maxTime, !(maxTime > 0 && maxTime <= 1e9) { throw ValidationError("--max-time takes a number of seconds above 0.") }
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

extension TargetURI {
    /// Refuses URLs to which no request can be sent.
    static func validate(_ urls: [String]) throws {
        for url in urls where !url.contains("://") {
            throw ValidationError("“\(url)” has no scheme; write http://\(url) or https://\(url).")
        }
        for url in urls where TargetURI.normalized(url) == nil {
            throw ValidationError("“\(url)” is not an http or https URL with a host and without a user name.")
        }
    }
}
