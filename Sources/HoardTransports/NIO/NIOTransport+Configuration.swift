// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
public import NIOCore

extension NIOTransport {
    /// How a transport connects.
    public struct Configuration: Sendable {
        /// The longest time that making a connection may take, including its encryption, and that a request may wait for one to become free. Default: 10 seconds.
        public var connectTimeout = Duration.seconds(10)
        /// The longest time for which an exchange may stand still: the origin takes nothing of a request, or after it sends nothing of the response. Default: 60 seconds.
        ///
        /// The time also runs while the consumer of a response's body asks for no more of it, so that a body that is kept and not read does not
        /// hold its connection for ever.
        public var readTimeout = Duration.seconds(60)
        /// The longest time that the head of a response may take, from the end of the request or the last interim response. `nil`: as long as something of it arrives
        /// within `readTimeout`, again and again.
        package var responseTimeout: Duration?
        /// The time for which a connection that is not used is kept. Default: 60 seconds.
        public var idleTimeout = Duration.seconds(60)
        /// How many connections to one origin are open at once. Requests beyond that wait. Default: 64.
        public var maximumConnectionCountPerHost = 64
        /// How many connections to one origin are kept while they are not used. Default: 64.
        public var maximumIdleConnectionCountPerHost = 64
        /// How many requests to one origin may wait for a connection. Those beyond that fail at once. Default: 1,024.
        public var maximumWaitingCountPerHost = 1_024
        /// A file of certificates in PEM form that are trusted as well as those of the system: a private authority's, for example. Default: none.
        ///
        /// The certificate of an `https` origin is always verified. It is read when the transport is made.
        public var additionalTrustRootsPath: String?
        /// The certificate by which the transport proves its identity to encrypted origins that ask for one: two files
        /// in PEM form, which are read when the transport is made. Default: none.
        public var clientCertificate: ClientCertificate?
        /// Whether `readTimeout` also runs while the consumer of a response's body asks for no more of it. Set it to `false` only if the consumers have
        /// another limit.
        package var limitsReaders = true
        /// The versions of HTTP that are spoken.
        package var version = Version.http1
        /// The threads to work on. `nil` for shared ones. Default: `nil`.
        public var eventLoopGroup: (any EventLoopGroup)?

        /// Creates a configuration with the defaults; change the properties afterwards.
        public init() {}
    }

    /// Certificates in files, and the key of the first one.
    public struct ClientCertificate: Hashable, Sendable {
        /// A file of certificates in PEM form: the client's own, then those that it was signed with.
        public var chainPath: String
        /// A file with the private key in PEM form.
        public var privateKeyPath: String

        /// Names the files of a certificate chain and of its private key.
        public init(chainPath: String, privateKeyPath: String) {
            self.chainPath = chainPath
            self.privateKeyPath = privateKeyPath
        }
    }

    /// The versions of HTTP that are spoken to origins.
    package enum Version: Hashable, Sendable {
        case http1
        /// Agreed on by ALPN with encryption, with prior knowledge without: [RFC 9113 §3](https://www.rfc-editor.org/rfc/rfc9113#section-3).
        case http2
        /// HTTP/2 if an encrypted origin agrees to it, else HTTP/1.1.
        case automatic
    }

    /// The limits of a connection.
    struct Limits: Sendable {
        let readTimeout: Duration
        let responseTimeout: Duration?
        let idleTimeout: Duration
        let limitsReaders: Bool
        /// The most bytes in the heads of one response, and again in the fields behind its content.
        var maximumHeadByteCount = 64 * 1_024
        /// The most fields in one head.
        var maximumFieldCount = 256
        /// The most interim responses to one request.
        var maximumInterimResponseCount = 64
        /// How much of a response's content is held while no reader takes it, plus the bytes of one read from the
        /// network.
        var bodyBufferByteCount = 64 * 1_024
        /// How much content that no reader wants is dropped to save the connection.
        var maximumDrainByteCount = 64 * 1_024
        /// The most exchanges at once on a connection of HTTP/2. The origin may allow fewer.
        var maximumStreamCount = 100
        /// How much of a response's content may be on its way on a stream, and how much on a connection of HTTP/2.
        var streamWindowByteCount = 128 * 1_024
        var connectionWindowByteCount = 4 * 1_024 * 1_024

        init(_ configuration: Configuration) {
            readTimeout = configuration.readTimeout
            responseTimeout = configuration.responseTimeout
            idleTimeout = configuration.idleTimeout
            limitsReaders = configuration.limitsReaders
        }
    }
}

extension NIOTransport.Configuration {
    func validate() throws(TransportError) {
        let timeouts = [
            ("connectTimeout", connectTimeout), ("readTimeout", readTimeout), ("responseTimeout", responseTimeout ?? readTimeout),
            ("idleTimeout", idleTimeout),
        ]
        for (name, timeout) in timeouts where timeout <= .zero {
            throw TransportError(.failed, "The setting \(name) is \(timeout); it must be longer than zero.")
        }
        guard maximumConnectionCountPerHost > 0 else {
            throw TransportError(.failed, "The setting maximumConnectionCountPerHost is \(maximumConnectionCountPerHost); it must be at least 1.")
        }
        let counts = [
            ("maximumIdleConnectionCountPerHost", maximumIdleConnectionCountPerHost), ("maximumWaitingCountPerHost", maximumWaitingCountPerHost),
        ]
        for (name, count) in counts where count < 0 {
            throw TransportError(.failed, "The setting \(name) is \(count); it must not be negative.")
        }
    }
}
