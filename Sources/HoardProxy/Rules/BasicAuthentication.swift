// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import HTTPTypes
internal import HoardNIO
internal import NIOCore
internal import NIOPosix
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The users that may ask, by names and passwords in a file: [RFC 7617](https://www.rfc-editor.org/rfc/rfc7617).
///
/// To hash a password takes long by design. So correct credentials are remembered, as digests with a key of this process. Others are checked on one
/// thread of their own, and only a limited number may wait. Guesses take at most one core, and no event loop waits for them.
final class BasicAuthentication: Sendable {
    enum Verdict: Sendable, Hashable {
        case user(String)
        case refused
        /// Too many others are being looked at.
        case tooBusy
    }

    /// How far credentials have been looked at without waiting.
    enum Beginning: Sendable {
        case known(Verdict)
        case unknown(Credentials)
    }

    struct Credentials: Sendable, Hashable {
        let name: String
        let password: String
    }

    private struct State {
        /// The names in credentials that were right, by their digests.
        var right: [Data: String] = [:]
        /// The credentials that are checked or wait for a check, by their digests.
        var pending: [Data: Pending] = [:]
        var guessCount = 0
    }

    private struct Pending {
        /// The number of requests that wait for the check.
        var requestCount = 0
        /// The check has found them wrong, for all requests that wait for it.
        var isWrong = false
    }

    /// The number of credentials that are checked or wait for a check.
    static let maximumPendingCount = 32
    /// For all routes.
    private static let thread = {
        let thread = NIOThreadPool(numberOfThreads: 1)
        thread.start()
        return thread
    }()
    private static let maximumKnownCount = 10_000

    private let users: [String: PasswordHash]
    /// Takes as long for names that there are not.
    private let nobody: PasswordHash
    private let challenge: String
    private let key: SymmetricKey
    private let state: Mutex<State>

    /// Reads a file of lines `name:hash`. Empty lines and those that begin with `#` are passed over. Blocks.
    ///
    /// - Parameter before: Those of the same route before a reload.
    /// - Throws: ``ProxyError/Code/invalidConfiguration``, which names the line.
    convenience init(path: String, realm: String, inPlaceOf before: BasicAuthentication? = nil) throws(ProxyError) {
        let text = String(decoding: try NamedFile.read(path, "The file of passwords"), as: UTF8.self)
        var users: [String: PasswordHash] = [:]
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if line.isEmpty || line.first == "#" { continue }
            let place = "\(path):\(number + 1)"
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
                throw ProxyError(
                    .invalidConfiguration,
                    "\(place): Here a name, a colon and a hash are expected; “hoard password NAME” makes such a line."
                )
            }
            guard let hash = PasswordHash(String(line[line.utf8.index(after: colon)...])) else {
                throw ProxyError(.invalidConfiguration, "\(place): What stands behind the name is no hash of “hoard password”.")
            }
            guard users.updateValue(hash, forKey: String(line[..<colon])) == nil else {
                throw ProxyError(.invalidConfiguration, "\(place): The name stands twice in the file.")
            }
        }
        guard !users.isEmpty else { throw ProxyError(.invalidConfiguration, "The file of passwords \(path) has no names: nobody could ask.") }
        self.init(users, realm: realm, inPlaceOf: before)
    }

    /// - Parameter before: Users whose hashes are the same there stay known. If all had to be looked at anew at the same time, most would be refused.
    init(_ users: [String: PasswordHash], realm: String, inPlaceOf before: BasicAuthentication? = nil) {
        self.users = users
        key = before?.key ?? SymmetricKey(size: .bits256)
        let right = before?.state.withLock { $0.right }.filter { users[$0.value] == before?.users[$0.value] }
        state = Mutex(State(right: right ?? [:]))
        nobody = PasswordHash(ofNobodyAt: users.values.map(\.cost).max() ?? .init())
        let quoted = realm.reduce(into: "") { text, character in
            if character == "\"" || character == "\\" { text.append("\\") }
            text.append(character)
        }
        challenge = "Basic realm=\"\(quoted)\", charset=\"UTF-8\""
    }

    /// How many passwords have been hashed.
    var guessCount: Int { state.withLock { $0.guessCount } }

    /// Looks at a request. Never waits.
    func begin(_ request: HTTPRequest) -> Beginning {
        guard let credentials = Self.credentials(request.headerFields) else { return .known(.refused) }
        let digest = digest(of: credentials)
        return state.withLock { $0.right[digest] != nil } ? .known(.user(credentials.name)) : .unknown(credentials)
    }

    /// Looks at credentials, on a thread of its own. Suspends.
    func verdict(on credentials: Credentials) async -> Verdict {
        let digest = digest(of: credentials)
        let isAdmitted = state.withLock { state in
            guard state.pending[digest] != nil || state.pending.count < Self.maximumPendingCount else { return false }
            state.pending[digest, default: Pending()].requestCount += 1
            return true
        }
        guard isAdmitted else { return .tooBusy }
        let isRight = try? await Self.thread.runIfActive { [self] in
            // Another request may have said the same just before.
            let known = state.withLock { state -> Bool? in
                if state.right[digest] != nil { return true }
                if state.pending[digest]?.isWrong == true { return false }
                state.guessCount += 1
                return nil
            }
            if let known { return known }
            let hash = users[credentials.name]
            guard (hash ?? nobody).isOf(credentials.password), hash != nil else {
                state.withLock { $0.pending[digest]?.isWrong = true }
                return false
            }
            state.withLock { state in
                if state.right.count >= Self.maximumKnownCount { state.right.removeAll() }
                state.right[digest] = credentials.name
            }
            return true
        }
        state.withLock { state in
            state.pending[digest]?.requestCount -= 1
            if state.pending[digest]?.requestCount == 0 { state.pending[digest] = nil }
        }
        return isRight == true ? .user(credentials.name) : .refused
    }

    /// The answer to a request that is not let through.
    func answer(_ verdict: Verdict) -> HTTPServerResponse {
        switch verdict {
        case .user, .refused:
            var response = RouteRules.response(.unauthorized, "You have to say who you are.\n")
            response.head.headerFields[.wwwAuthenticate] = challenge
            return response
        case .tooBusy:
            var response = RouteRules.response(.serviceUnavailable, "Too many passwords are being looked at.\n")
            response.head.headerFields[.retryAfter] = "1"
            return response
        }
    }

    private func digest(of credentials: Credentials) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Array("\(credentials.name):\(credentials.password)".utf8), using: key))
    }

    /// The credentials in the one `Authorization` field, if it is of this scheme.
    private static func credentials(_ fields: HTTPFields) -> Credentials? {
        let values = fields[values: .authorization]
        guard values.count == 1, values[0].utf8.count <= 1_024 else { return nil }
        let parts = values[0].split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let data = Data(base64Encoded: String(parts[1].drop { $0 == " " })),
            let text = String(validating: data, as: UTF8.self), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        // By bytes: a password may begin with a combining character, which makes one character of itself and the colon.
        return Credentials(name: String(text[..<colon]), password: String(text[text.utf8.index(after: colon)...]))
    }
}
