// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardHTTP
internal import HoardNIO
internal import Logging
internal import NIOCore

/// Answers the requests to the admin server.
struct AdminHandler: Sendable {
    /// The most listeners to events at a time.
    static let maximumListenerCount = 32
    /// The longest content that is read.
    static let maximumContentByteCount = 64 << 10

    let services: AdminServices
    let currentToken: CurrentAdminToken
    let host: AdminHost
    let logger: Logger
    let events: AdminEvents

    init(services: AdminServices, token: AdminToken?, host: AdminHost, logger: Logger, ticker: any Ticker) {
        self.services = services
        currentToken = CurrentAdminToken(token)
        self.host = host
        self.logger = logger
        events = AdminEvents(maximumCount: Self.maximumListenerCount, ticker: ticker) {
            let object = AdminJSON.text(await services.statistics().withNewestHistory())
            return ByteBuffer(string: "event: statistics\ndata: \(object)\n\n")
        }
    }

    /// `nil`: nothing can be changed.
    var token: AdminToken? { currentToken.value }

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        // Not on the event loop, which serves others.
        await startTask {
            do throws(AdminRefusal) {
                return try await answer(request)
            } catch {
                return .admin(error)
            }
        }.value
    }

    private func answer(_ request: HTTPServerRequest) async throws(AdminRefusal) -> HTTPServerResponse {
        let query = try AdminQuery(request.head.path ?? "/")
        guard let endpoint = Endpoint(rawValue: query.path) else {
            throw AdminRefusal(.notFound, "There is nothing at this path.")
        }
        if endpoint.isGuarded { try guardAgainstStrangers(request.head) }
        let methods = endpoint.methods
        guard methods.contains(request.head.method) else {
            let allowed = methods.map(\.rawValue).joined(separator: ", ")
            throw AdminRefusal(.methodNotAllowed, "This takes \(allowed) only.", fields: [.allow: allowed])
        }
        if endpoint == .purge { return try await purge(request) }
        if endpoint == .size { return try await resize(request) }
        try query.allow(endpoint.parameters)
        if endpoint == .warmUp { return try await warm(request) }
        return try await read(endpoint, query, isHead: request.head.method == .head)
    }

    /// An endpoint of the server.
    enum Endpoint: String {
        case page = "/"
        case health = "/healthz"
        case readiness = "/readyz"
        case metrics = "/metrics"
        case statistics = "/api/statistics"
        case events = "/api/events"
        case entries = "/api/entries"
        case explanation = "/api/explain"
        case advice = "/api/advice"
        case purge = "/api/purge"
        case size = "/api/size"
        case warmUp = "/api/warm"

        /// `POST` and `DELETE` change something, and take the token.
        fileprivate var methods: [HTTPRequest.Method] {
            switch self {
            case .purge, .size: [.post]
            case .warmUp: [.get, .head, .post, .delete]
            default: [.get, .head]
            }
        }

        /// Whether the host's name and the site of the request matter. Checks of the process's health may use any name.
        var isGuarded: Bool {
            switch self {
            case .health, .readiness: false
            default: true
            }
        }

        fileprivate var parameters: Set<String> {
            switch self {
            case .entries: ["search", "prefix", "tag", "limit", "after"]
            case .explanation: ["url"]
            default: []
            }
        }
    }

    private func guardAgainstStrangers(_ request: HTTPRequest) throws(AdminRefusal) {
        guard host.isAllowed(request.authority) else {
            throw AdminRefusal(
                .misdirectedRequest,
                "This server answers only to its address, to localhost and to the names in its configuration; ask for one of these."
            )
        }
        // A browser may follow another site's link to the page itself: the page is the same for every reader.
        if request.method == .get, request.path == "/" { return }
        if AdminHost.isForeign(request) { throw AdminRefusal(.forbidden, "This server takes no requests from other sites' pages.") }
    }
}

extension HTTPResponse.Status {
    fileprivate static var misdirectedRequest: Self { .init(code: 421, reasonPhrase: "Misdirected Request") }
}
