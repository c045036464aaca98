// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HoardNIOTestSupport

extension RedisServer {
    /// How a server is started.
    package struct Options: Sendable {
        /// Rules of users, as in an ACL file but without the word `user`, such as `default off` or `hoard on >secret ~* &* +@all`.
        package var users: [String] = []
        /// The certificate that is shown on ``RedisServer/tlsAddress``; `nil`: there is no such port.
        package var certificate: TestCertificate?
        /// Whether clients must show a certificate, which must be ``TestCertificate/first``.
        package var verifiesClients = false
        /// Whether the server is a node of a cluster.
        package var isClusterNode = false
        /// More lines for its configuration file, such as `maxmemory 4mb`.
        package var settings: [String] = []

        package init(
            users: [String] = [],
            certificate: TestCertificate? = nil,
            verifiesClients: Bool = false,
            isClusterNode: Bool = false,
            settings: [String] = []
        ) {
            self.users = users
            self.certificate = certificate
            self.verifiesClients = verifiesClients
            self.isClusterNode = isClusterNode
            self.settings = settings
        }
    }

    /// The ports of the server: chosen once, so that it is there again after a restart.
    struct Ports: Sendable {
        var plain: Int
        var tls: Int?
    }
}

extension RedisServer.Options {
    /// The lines of the configuration file.
    func configuration(directory: String, ports: RedisServer.Ports, control: String) -> [String] {
        var lines = [
            "bind 127.0.0.1 -127.0.0.2", "port \(ports.plain)", "unixsocket \(directory)/socket", "unixsocketperm 700", "dir \(directory)",
            "save \"\"", "appendonly no", "daemonize no", "user \(control)",
        ]
        lines += users.map { "user \($0)" }
        if certificate != nil, let port = ports.tls {
            lines += [
                "tls-port \(port)", "tls-cert-file \(directory)/certificate.pem", "tls-key-file \(directory)/key.pem",
                "tls-ca-cert-file \(directory)/trusted.pem", "tls-auth-clients \(verifiesClients ? "yes" : "no")",
            ]
        }
        if isClusterNode { lines += ["cluster-enabled yes", "cluster-config-file nodes.conf", "cluster-require-full-coverage yes"] }
        return lines + settings
    }
}
