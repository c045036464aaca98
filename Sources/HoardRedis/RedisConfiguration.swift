// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The address of a Redis or Valkey server, and the settings of the connection.
///
/// ```swift
/// var configuration = try RedisConfiguration(url: "rediss://cache:secret@redis.example:6380/2")
/// configuration.commandTimeout = .milliseconds(200)
/// ```
///
/// Printing a configuration shows neither the password nor the user.
public struct RedisConfiguration: Sendable {
    /// The address of a server.
    public enum Address: Sendable, Hashable {
        /// A name or an IP address, without brackets, and a port.
        public static func tcp(host: String, port: Int) -> Self { .init(base: .tcp(host: host, port: port)) }
        /// A Unix socket.
        public static func unix(path: String) -> Self { .init(base: .unix(path: path)) }
    }

    /// The address of the server. In a cluster, the address of one node, which knows the others.
    public var address: Address

    /// The addresses of other nodes to ask if the one at ``address`` does not answer. Empty by default; not used without ``isCluster``.
    public var otherAddresses: [Address] = []

    /// Whether the server is a node of a Redis Cluster. `false` by default.
    public var isCluster = false

    /// The encryption of the connection. `nil` by default: none.
    public var tls: TLS?

    /// The user of the server's access control list. By default, with a password, the server's default user.
    public var user: String?

    /// The password. By default there is none. It is a plain value here, and is left out when the configuration is printed.
    public var password: String?

    /// The number of the database. 0 by default, which is the only database in a cluster.
    public var database = 0

    /// The name that the server shows for the connection (`CLIENT LIST`). `hoard` by default; `nil`: none. The server refuses spaces.
    public var clientName: String? = "hoard"

    /// The longest time to connect, including encryption and login. 5 seconds by default.
    public var connectTimeout: Duration = .seconds(5)

    /// The longest time of a command, including the wait for a connection. 1 second by default.
    public var commandTimeout: Duration = .seconds(1)

    /// The time without a byte from the server after which the client sends a heartbeat. 1 second by default.
    public var heartbeatInterval: Duration = .seconds(1)

    /// The time without an answer to a heartbeat after which the connection counts as ended. 1 second by default.
    ///
    /// A server that is busy with one command for longer than this looks like one that is gone.
    public var heartbeatTimeout: Duration = .seconds(1)

    /// The waits between attempts to connect.
    public var backoff = Backoff()

    /// The most commands that may wait for their replies, including those whose callers no longer wait. 65,536 by default.
    public var maximumPendingCommands = 65_536

    /// The most bytes of commands that may wait for their replies. One command may always wait. 64 MiB by default.
    public var maximumPendingBytes = 64 << 20

    /// Creates a configuration with the defaults.
    public init(address: Address) {
        self.address = address
    }

    /// The waits before a connection is tried again that could not be made, or ended soon after it was made.
    ///
    /// A connection that stood for at least a second is tried again at once when it ends.
    public struct Backoff: Sendable, Hashable {
        /// The wait after the first failure. 50 milliseconds by default. Each further failure doubles the wait.
        public var initial: Duration = .milliseconds(50)
        /// The longest wait. 2 seconds by default.
        public var maximum: Duration = .seconds(2)
        /// The random part of a wait, from 0 to 1, so that clients do not all come back at the same moment. By default 0.5, so that a wait of 2
        /// seconds becomes one of 1 to 2 seconds.
        public var jitter = 0.5

        /// The defaults.
        public init() {}
    }

    /// The encryption of a connection, by TLS 1.2 or newer.
    public struct TLS: Sendable, Hashable {
        /// The verification of the server's certificate.
        public enum Verification: Sendable, Hashable {
            /// The certificate must be valid, trusted, and for the name of the server.
            case full
            /// The certificate must be valid and trusted, for any name.
            case trustOnly
            /// Any certificate is accepted. An attacker on the way can read and change everything.
            case none
        }

        /// The verification of the server's certificate. Full by default.
        public var verification = Verification.full
        /// The path of a PEM file of certificates that are trusted in addition to those of the system. None by default.
        public var additionalTrustRootsPath: String?
        /// The path of a PEM file of the client's certificate and its intermediate certificates. None by default.
        public var certificatePath: String?
        /// The path of a PEM file of that certificate's private key. None by default.
        public var privateKeyPath: String?
        /// The name that the client sends to the server (SNI). The server's certificate must be for this name or for the address of the connection.
        /// By default the host of the address.
        public var serverName: String?

        /// The defaults.
        public init() {}
    }
}

extension RedisConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The address of the server, without user and password.
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
