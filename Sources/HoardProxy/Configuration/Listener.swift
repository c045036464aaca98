// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension CachingProxy.Configuration {
    /// An address that a proxy serves.
    public struct Listener: Sendable, Hashable {
        /// The address of a listener.
        public struct Address: Sendable, Hashable {
            enum Base: Sendable, Hashable {
                case tcp(host: String, port: Int)
                case unix(path: String)
            }
            let base: Base

            /// An IP address or a name, and a port; port 0 takes any that is free.
            public static func tcp(host: String, port: Int) -> Self { .init(base: .tcp(host: host, port: port)) }
            /// A socket in the file system.
            public static func unix(path: String) -> Self { .init(base: .unix(path: path)) }
        }

        /// Where it listens.
        public var address: Address
        /// For clients that name no host, or one that ``certificates`` does not have. `nil`: such clients are refused, or, if there are no other certificates,
        /// the listener is not encrypted.
        public var tls: TLS?
        /// For clients that name a host as TLS begins ([RFC 6066 §3](https://www.rfc-editor.org/rfc/rfc6066#section-3)). Default: none.
        public var certificates: [HostCertificate] = []
        /// The oldest version of TLS that clients may speak. Default: 1.2.
        public var minimumTLSVersion = TLSVersion.v1_2
        /// The cipher suites of TLS 1.2 by their names, the preferred one first. Empty: all of ``cipherSuiteNames``. Those of TLS 1.3 are always the same.
        public var cipherSuites: [String] = []
        /// Demands on clients. `nil`: no certificates. Default: `nil`.
        public var clientCertificates: ClientCertificates?
        /// Whether clients may speak HTTP/2: agreed on by ALPN with encryption, with prior knowledge without. Default: `true`.
        public var isHTTP2Enabled = true
        /// Whether each connection begins with a header of the PROXY protocol (version 1 or 2), which tells the client's address. Default: `false`.
        public var expectsProxyProtocol = false

        /// Whether connections are encrypted.
        public var isEncrypted: Bool { tls != nil || !certificates.isEmpty }

        /// Creates a listener; with `tls` it is encrypted.
        public init(_ address: Address, tls: TLS? = nil) {
            self.address = address
            self.tls = tls
        }
    }

    /// A certificate for some hosts.
    public struct HostCertificate: Sendable, Hashable {
        /// Names without ports; `*.example.com` for all below one. An exact name goes before any `*`, a longer one before a shorter one.
        public var hosts: [String]
        /// The files of the certificate and its key.
        public var tls: TLS

        /// Creates a certificate for these hosts.
        public init(hosts: [String], tls: TLS) {
            self.hosts = hosts
            self.tls = tls
        }
    }

    /// A version of TLS.
    public struct TLSVersion: RawRepresentable, Sendable, Hashable, CaseIterable {
        enum Base: String, CaseIterable, Sendable {
            case v1_2 = "1.2"
            case v1_3 = "1.3"
        }
        let base: Base
        private init(_ base: Base) { self.base = base }

        /// TLS 1.2 ([RFC 5246](https://www.rfc-editor.org/rfc/rfc5246)).
        public static var v1_2: Self { .init(.v1_2) }
        /// TLS 1.3 ([RFC 8446](https://www.rfc-editor.org/rfc/rfc8446)).
        public static var v1_3: Self { .init(.v1_3) }

        /// The versions, the oldest first.
        public static var allCases: [Self] { Base.allCases.map(Self.init) }

        /// The version of that number, such as `1.2`; `nil` if there is none.
        public init?(rawValue: String) {
            guard let base = Base(rawValue: rawValue) else { return nil }
            self.base = base
        }

        /// The number, such as `1.2`.
        public var rawValue: String { base.rawValue }
    }

    /// Certificates by which clients prove their identity.
    ///
    /// The upstream is told of them in `Client-Cert` ([RFC 9440](https://www.rfc-editor.org/rfc/rfc9440)), which clients cannot set themselves, if it is told of
    /// clients. Which client asks is no part of keys: a response that depends on it must say `Vary: Client-Cert`, or that it is not to be stored.
    public struct ClientCertificates: Sendable, Hashable {
        /// A file of certificates in PEM form: of the authorities that sign those of clients.
        public var authorityPath: String
        /// Whether clients without a certificate are refused. Default: `true`.
        public var isRequired = true

        /// Names the file with the authorities of clients.
        public init(authorityPath: String) {
            self.authorityPath = authorityPath
        }
    }

    /// How a listener is encrypted.
    public struct TLS: Sendable, Hashable {
        /// A file of certificates in PEM form, the server's own first.
        public var certificateChainPath: String
        /// A file with the private key in PEM form.
        public var privateKeyPath: String

        /// Names the files of a certificate chain and of its private key.
        public init(certificateChainPath: String, privateKeyPath: String) {
            self.certificateChainPath = certificateChainPath
            self.privateKeyPath = privateKeyPath
        }
    }
}
