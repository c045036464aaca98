// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension HTTPCache {
    /// The treatment of responses whose content does not match the digest that they state: [RFC 9530](https://www.rfc-editor.org/rfc/rfc9530).
    ///
    /// Looked at are SHA-256 and SHA-512 in `Content-Digest` and `Repr-Digest` of responses that are about to be stored.
    public struct DigestPolicy: RawRepresentable, CaseIterable, Hashable, Sendable {
        /// The name in settings.
        public let rawValue: String

        /// Creates the policy with a name; `nil` if there is none.
        public init?(rawValue: String) {
            guard let policy = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = policy
        }

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        public static var allCases: [Self] { [ignore, doNotStore, refuse] }

        var checks: Bool { self != .ignore }
        var refuses: Bool { self == .refuse }

        /// Digests are passed on and not checked.
        public static let ignore = Self("ignore")
        /// A response with another digest is delivered, but not stored.
        public static let doNotStore = Self("do-not-store")
        /// A response with another digest is not stored, and clients get an error. The error replaces the response if its content is at hand, and the
        /// last part of the content if its length is known. Otherwise it comes at the end. Content that turns out too long to be stored is not
        /// compared.
        public static let refuse = Self("refuse")
    }
}

extension TransportError {
    /// The content of a response is not the one of which it has the digest.
    static var wrongDigest: Self {
        TransportError(.invalidResponse, "The origin's content does not have the digest that its response states.")
    }
}
