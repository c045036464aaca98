// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Where a server of Redis or Valkey is, and how it is spoken to.
///
/// ```swift
/// var configuration = try RedisConfiguration(url: "rediss://cache:secret@redis.example:6380/2")
/// configuration.commandTimeout = .milliseconds(200)
/// ```
///
/// Printing a configuration shows neither the password nor the user.
public struct RedisConfiguration: Sendable {
    /// The address of a server.
    public struct Address: Sendable, Hashable {
        package enum Base: Sendable, Hashable {
            case tcp(host: String, port: Int)
            case unix(path: String)
        }
        package let base: Base

        /// A name or an IP address, without brackets, and a port.
        public static func tcp(host: String, port: Int) -> Self { .init(base: .tcp(host: host, port: port)) }
        /// A Unix socket.
        public static func unix(path: String) -> Self { .init(base: .unix(path: path)) }
    }

    /// Where the server listens. In a cluster, one of its nodes, from which the others become known.
    public var address: Address

    /// More nodes of the same cluster to ask if the one at ``address`` does not answer. Empty by default; not used without ``isCluster``.
    public var otherAddresses: [Address] = []

    /// Whether the server is a node of a Redis Cluster. `false` by default.
    public var isCluster = false

    /// How the connection is encrypted. By default it is not.
    public var tls: TLS?

    /// The user of the server's access control list. By default, with a password, the server's default user.
    public var user: String?

    /// The password. By default none is given. It is a plain value here, and is left out when the configuration is printed.
    public var password: String?

    /// The number of the database. 0 by default, which is the only one in a cluster.
    public var database = 0

    /// The name that the server shows for the connection (`CLIENT LIST`). `hoard` by default; `nil`: none. The server refuses spaces.
    public var clientName: String? = "hoard"

    /// How long making a connection may take, encryption and logging in included. 5 seconds by default.
    public var connectTimeout: Duration = .seconds(5)

    /// How long a command may take, waiting for a connection included. 1 second by default.
    public var commandTimeout: Duration = .seconds(1)

    /// After so long without a byte from the server it is asked whether it is there. 1 second by default.
    public var heartbeatInterval: Duration = .seconds(1)

    /// If it does not answer that for so long, the connection counts as ended. 1 second by default.
    ///
    /// A server that is busy with one command for longer than this looks like one that is gone.
    public var heartbeatTimeout: Duration = .seconds(1)

    /// When a connection is tried again.
    public var backoff = Backoff()

    /// How many commands may wait for their replies, including those whose callers no longer wait. 65,536 by default.
    public var maximumPendingCommands = 65_536

    /// How many bytes the commands that wait for their replies may have. One command may always wait. 64 MiB by default.
    public var maximumPendingBytes = 64 << 20

    /// A configuration with the defaults.
    public init(address: Address) {
        self.address = address
    }

    /// When a connection is tried again that could not be made, or has ended soon after it was made.
    ///
    /// A connection that stood for at least a second is tried again at once when it ends.
    public struct Backoff: Sendable, Hashable {
        /// How long is waited after the first failure. 50 milliseconds by default. The wait is twice as long after each further one.
        public var initial: Duration = .milliseconds(50)
        /// The longest wait. 2 seconds by default.
        public var maximum: Duration = .seconds(2)
        /// The part of a wait that is left to chance, from 0 to 1, so that clients do not all come back in the same moment. 0.5 by default:
        /// a wait of 2 seconds becomes one of 1 to 2 seconds.
        public var jitter = 0.5

        /// The defaults.
        public init() {}
    }

    /// How a connection is encrypted. TLS 1.2 or newer.
    public struct TLS: Sendable, Hashable {
        /// The checks of the server's certificate.
        public struct Verification: Sendable, Hashable {
            enum Base: Sendable { case full, trustOnly, none }
            let base: Base

            /// The certificate has to be valid, trusted, and for the name of the server.
            public static var full: Self { .init(base: .full) }
            /// The certificate has to be valid and trusted. Its name may be any.
            public static var trustOnly: Self { .init(base: .trustOnly) }
            /// Any certificate will do. An attacker on the way can read and change everything.
            public static var none: Self { .init(base: .none) }
        }

        /// The checks of the server's certificate. ``Verification/full`` by default.
        public var verification = Verification.full
        /// A PEM file of certificates that are trusted besides those of the system. None by default.
        public var additionalTrustRootsPath: String?
        /// A PEM file of the certificate, and those between it and its root, by which the server knows us. None by default.
        public var certificatePath: String?
        /// The PEM file of that certificate's private key. None by default.
        public var privateKeyPath: String?
        /// The name that the server is told (SNI), and that its certificate has to be for, unless it is for the address that is connected to. By default the host of
        /// the address.
        public var serverName: String?

        /// The defaults.
        public init() {}
    }
}

extension RedisConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where the server is, without user and password.
    public var description: String {
        let place =
            switch address.base {
            case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .unix(let path): path
            }
        return "\(place)/\(database)\(tls == nil ? "" : ", encrypted")\(isCluster ? ", cluster" : "")"
    }

    public var debugDescription: String { description }

    /// Shows no more than ``description``, so that a dump has no password in it.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
