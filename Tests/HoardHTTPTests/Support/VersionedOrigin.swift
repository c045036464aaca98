// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization

/// An origin of a few resources with versions, which remembers all its answers.
///
/// Each answer to GET or HEAD carries its number in `X-Emission`. A 304 carries it too, and so replaces the one of the response
/// that it confirms: the number on a client's response tells which answer the cache relied upon last.
final class VersionedOrigin: Sendable {
    /// One answer to GET or HEAD.
    struct Emission: Sendable {
        let path: String
        let version: Int
        let time: Date
        let policy: Policy
        /// The user who asked, if the request names one.
        let user: String?
        let language: String?
        let isNotModified: Bool
    }

    /// An origin's rules for one version of a resource, and their meaning for a shared cache.
    struct Policy: Sendable {
        let directives: String
        /// For how many seconds a shared cache may use it unasked.
        var lifetime: Double = 0
        /// Whether a shared cache may use it at all.
        var isShared = true
        /// Whether a shared cache may use one user's response for another user's requests.
        var isSharedIfAuthorized = false

        static let all = [
            Policy(directives: "max-age=30", lifetime: 30),
            Policy(directives: "max-age=30, s-maxage=10", lifetime: 10, isSharedIfAuthorized: true),
            Policy(directives: "public, max-age=60", lifetime: 60, isSharedIfAuthorized: true),
            Policy(directives: "max-age=20, must-revalidate", lifetime: 20, isSharedIfAuthorized: true),
            Policy(directives: "private, max-age=60", isShared: false),
            Policy(directives: "no-store", isShared: false),
            Policy(directives: "max-age=60, no-cache"),
            Policy(directives: "max-age=0"),
        ]
    }

    static let emissionName = HTTPField.Name("X-Emission") ?? .server
    static let paths = ["/a", "/b", "/c"]

    private struct Resource {
        var version = 1
        var policy: Policy
        var isNegotiated = false
        var hasETag = true
    }

    private struct State {
        var random: RandomSource
        var resources: [String: Resource] = [:]
        var emissions: [Emission] = []
    }

    private let time: TestTime
    private let state: Mutex<State>

    init(seed: UInt64, time: TestTime) {
        self.time = time
        var random = RandomSource(seed: seed)
        let resources = Dictionary(uniqueKeysWithValues: Self.paths.map { ($0, Resource(policy: random.pick(Policy.all))) })
        state = Mutex(State(random: random, resources: resources))
    }

    func version(of path: String) -> Int { state.withLock { $0.resources[path]?.version ?? 0 } }

    func emission(_ number: Int) -> Emission { state.withLock { $0.emissions[number] } }

    var emissionCount: Int { state.withLock { $0.emissions.count } }

    /// Changes a resource without a request that caches could notice.
    func change(_ path: String) {
        state.withLock { Self.change(path, &$0) }
    }

    @Sendable func handle(_ request: FakeTransport.Request) -> FakeTransport.Answer {
        let path = request.head.path ?? ""
        return state.withLock { state in
            switch request.head.method {
            case .get, .head: emit(path, request.head, &state)
            default: answerChange(path, request.head.headerFields, &state)
            }
        }
    }

    private static func change(_ path: String, _ state: inout State) {
        state.resources[path]?.version += 1
        state.resources[path]?.policy = state.random.pick(Policy.all)
        state.resources[path]?.isNegotiated = state.random.once(in: 3)
        state.resources[path]?.hasETag = !state.random.once(in: 4)
    }

    /// The body names everything that matters: the version, its owner, and its language.
    private func emit(_ path: String, _ request: HTTPRequest, _ state: inout State) -> FakeTransport.Answer {
        guard let resource = state.resources[path] else { return .text(status: .notFound) }
        let user = request.headerFields[.authorization]
        let language = resource.isNegotiated ? request.headerFields[.acceptLanguage] : nil
        let body = "\(path) \(resource.version) \(user ?? "-") \(language ?? "-")"
        let eTag = "\"\(body)\""
        let isNotModified = request.headerFields[.ifNoneMatch] == eTag
        state.emissions.append(
            Emission(
                path: path,
                version: resource.version,
                time: time.now(),
                policy: resource.policy,
                user: user,
                language: language,
                isNotModified: isNotModified
            )
        )
        var fields: HTTPFields = [.cacheControl: resource.policy.directives, Self.emissionName: "\(state.emissions.count - 1)"]
        if resource.isNegotiated { fields[.vary] = "Accept-Language" }
        if resource.hasETag { fields[.eTag] = eTag }
        if isNotModified { return .text(status: .notModified, fields: fields) }
        guard request.method == .get else { return .text(fields: fields) }
        return state.random.once(in: 2) ? .text(body, fields: fields) : .parts([String(body.prefix(3)), String(body.dropFirst(3))], fields: fields)
    }

    /// A request with `Expect` fails; `Content-Location` names another resource that changes with the target.
    private func answerChange(_ path: String, _ request: HTTPFields, _ state: inout State) -> FakeTransport.Answer {
        if request.contains(.expect) { return .text(status: state.random.pick([.badRequest, .conflict, .internalServerError])) }
        Self.change(path, &state)
        var fields = HTTPFields()
        if let other = request[.contentLocation] {
            Self.change(other, &state)
            fields[state.random.pick([.location, .contentLocation])] = other
        }
        return .text("\(state.resources[path]?.version ?? 0)", status: state.random.pick([.ok, .created, .noContent, .seeOther]), fields: fields)
    }
}
