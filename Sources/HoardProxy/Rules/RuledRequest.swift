// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP

/// A request as rules know it, with its client.
struct RuledRequest: Sendable {
    /// As the client has sent it.
    let head: HTTPRequest
    /// The authority that the client named. If servers get that and it named none, the one that the proxy asks them for.
    let authority: String?
    let client: TrustedProxies.Client
    /// The beginning of paths on the route, in normal form.
    let pathPrefix: String
    /// The name by which the client has proved its identity; empty if it need not.
    var user = ""
    /// The cache's part, once that is known.
    var outcome: AnswerReport.Outcome?

    /// The host that the client asked for, without a port.
    var host: String { HostPatterns.host(of: authority ?? "") }

    /// The path in normal form, without the query.
    var path: String { RoutePath.normalized(head.path ?? "/") }

    /// In the form that keys have, so that it follows from the key.
    var query: String {
        guard let target = head.path, target.utf8.contains(UInt8(ascii: "?")) else { return "" }
        return TargetURI(URIReference("http://localhost\(target)"))?.query.map { "?\($0)" } ?? ""
    }

    func value(of variable: MessageTemplate.Variable) -> String {
        switch variable.base {
        case .host: host
        case .path: path
        case .query: query
        case .rest: String(path.dropFirst(pathPrefix.count))
        case .scheme: client.scheme
        case .client: client.address.isEmpty ? "unix" : client.address
        case .user: user
        case .cache: outcome?.word ?? "generated"
        }
    }
}

extension AnswerReport.Outcome {
    /// As `{cache}` names it.
    fileprivate var word: String {
        switch self {
        case .hit: "hit"
        case .staleHit: "stale"
        case .validatedHit: "revalidated"
        case .collapsedHit: "collapsed"
        case .miss: "miss"
        case .bypass: "bypass"
        case .generated: "generated"
        case .failure, .abandoned: "failure"
        }
    }
}
