// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP

/// What rules know of a request: who asks, for what.
struct RuledRequest: Sendable {
    /// As the client has sent it.
    let head: HTTPRequest
    let client: TrustedProxies.Client
    /// What the path begins with on the route, in normal form.
    let pathPrefix: String
    /// What the cache did, once that is known.
    var outcome: AnswerReport.Outcome?

    /// The host that the client asked for, without a port.
    var host: String { HostPatterns.host(of: head.authority ?? "") }

    /// The path in normal form, without the query.
    var path: String { RoutePath.normalized(head.path ?? "/") }

    var query: String { head.path.flatMap { target in target.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(target[$0...]) } } ?? "" }

    func value(of variable: MessageTemplate.Variable) -> String {
        switch variable {
        case .host: host
        case .path: path
        case .query: query
        case .rest: String(path.dropFirst(pathPrefix.count))
        case .scheme: client.scheme
        case .client: client.address.isEmpty ? "unix" : client.address
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
