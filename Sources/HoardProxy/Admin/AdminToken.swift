// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import HTTPTypes
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The token that requests must have to change anything. Only its digest is kept.
struct AdminToken: Sendable {
    private let digest: [UInt8]

    /// - Returns: `nil` for an empty token, which is no secret.
    init?(_ token: String) {
        if token.isEmpty { return nil }
        digest = Self.digest(Array(token.utf8))
    }

    /// The verdict on a request's `Authorization`.
    enum Verdict: Hashable, Sendable {
        case granted
        /// There is none, or not one of this kind, or several.
        case absent
        case wrong
    }

    /// Takes the same time for all tokens of the same length: [RFC 6750 §2.1](https://www.rfc-editor.org/rfc/rfc6750#section-2.1).
    func judge(_ fields: HTTPFields) -> Verdict {
        let values = fields[fields: .authorization].map { Array($0.value.utf8) }
        let scheme = Array("bearer".utf8)
        guard values.count == 1, let value = values.first, value.count > scheme.count, value[scheme.count] == UInt8(ascii: " "),
            value.prefix(scheme.count).map({ $0 | 0x20 }) == scheme
        else { return .absent }
        let given = Self.digest(Array(value[scheme.count...].drop { $0 == UInt8(ascii: " ") }))
        // The digests are of one length, and all of their bytes are compared.
        return zip(given, digest).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0 ? .granted : .wrong
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: Data(bytes))) }
}

/// The token that is in force now.
final class CurrentAdminToken: Sendable {
    private let token: Mutex<AdminToken?>

    init(_ token: AdminToken?) {
        self.token = Mutex(token)
    }

    var value: AdminToken? { token.withLock { $0 } }

    func replace(with other: AdminToken?) {
        token.withLock { $0 = other }
    }
}
