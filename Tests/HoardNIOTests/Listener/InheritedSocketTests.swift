// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Foundation
    import Glibc
    import HoardNIOTestSupport
    import NIOCore
    import Testing

    @testable import HoardNIO

    /// Sockets that another process has opened.
    @Suite(.timeLimit(.minutes(1))) struct InheritedSocketTests {
        private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

        /// A socket that is bound to a free port of a loopback address, and that address.
        private static func bound(_ family: Int32 = AF_INET) throws -> (descriptor: CInt, port: Int) {
            let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
            var storage = sockaddr_storage()
            storage.ss_family = sa_family_t(family)
            if family == AF_INET6 {
                withUnsafeMutableBytes(of: &storage) { $0[23] = 1 }
            } else {
                withUnsafeMutableBytes(of: &storage) { $0[4..<8].copyBytes(from: [127, 0, 0, 1]) }
            }
            let length = socklen_t(family == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
            try #require(name(&storage) { Glibc.bind(descriptor, $0, length) } == 0)
            try #require(listen(descriptor, 16) == 0)
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            try #require(name(&storage) { getsockname(descriptor, $0, &size) } == 0)
            return (descriptor, withUnsafeBytes(of: &storage) { Int($0[2]) << 8 | Int($0[3]) })
        }

        private static func name(_ storage: inout sockaddr_storage, _ call: (UnsafeMutablePointer<sockaddr>) -> Int32) -> Int32 {
            withUnsafeMutablePointer(to: &storage) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, call) }
        }

        private static func configuration(_ address: HTTPServer.Listener.Address, _ descriptors: CInt...) -> HTTPServer.Configuration {
            var configuration = HTTPServer.Configuration(listeners: [.init(address)])
            configuration.inheritedSockets = InheritedSockets(descriptors: descriptors)
            return configuration
        }

        @Test func noConnectionIsRefusedWhileOneServerFollowsAnother() async throws {
            let (descriptor, port) = try Self.bound()
            let address = HTTPServer.Listener.Address.tcp(host: "127.0.0.1", port: port)
            let first = dup(descriptor)
            try await withServer(
                Self.configuration(address, first),
                handler: { _ in .text("first") },
                body: { server in
                    #expect(server.addresses == [address])
                    let client = try await RawClient.connect(port: port)
                    try await client.send(Self.request)
                    #expect(try await client.receiveResponse().content == "first")
                }
            )
            // No server accepts now, and the connection waits.
            let waiting = try await RawClient.connect(port: port)
            try await waiting.send(Self.request)
            try await withServer(
                Self.configuration(address, descriptor),
                handler: { _ in .text("second") },
                body: { _ in
                    let answer = try await waiting.receiveResponse()
                    #expect(answer.content == "second")
                }
            )
            withExtendedLifetime(waiting) {}
        }

        @Test(arguments: [("::1", AF_INET6), ("localhost", AF_INET)])
        func addressMayBeWrittenInOtherWays(host: String, family: Int32) async throws {
            let (descriptor, port) = try Self.bound(family)
            let sockets = InheritedSockets(descriptors: [descriptor])
            #expect(sockets.addresses == [family == AF_INET6 ? "[::1]:\(port)" : "127.0.0.1:\(port)"])
            // The name may stand for ::1 first, to which the socket is not bound.
            let taken = sockets.take(for: .tcp(host: host, port: port))
            #expect(taken == descriptor || host == "localhost")
            #expect(sockets.take(for: .tcp(host: host, port: port)) == nil)
            #expect(sockets.addresses.isEmpty == (taken != nil))
            Glibc.close(descriptor)
        }

        @Test func fileOfAUnixSocketStaysForItsOwner() async throws {
            let path = "/tmp/hoard-\(UInt32.random(in: .min ... .max)).sock"
            defer { unlink(path) }
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var storage = sockaddr_storage()
            storage.ss_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &storage) { $0[2...].copyBytes(from: Array(path.utf8)) }
            try #require(Self.name(&storage) { Glibc.bind(descriptor, $0, socklen_t(2 + path.utf8.count + 1)) } == 0)
            try await withServer(
                Self.configuration(.unix(path: path), descriptor),
                handler: { _ in .text("here") },
                body: { _ in
                    let client = try await RawClient.connect(to: SocketAddress(unixDomainSocketPath: path))
                    try await client.send(Self.request)
                    #expect(try await client.receiveResponse().content == "here")
                }
            )
            #expect(FileManager.default.fileExists(atPath: path))
        }

        @Test func whatIsForAnotherAddressIsLeftAlone() async throws {
            let (descriptor, port) = try Self.bound()
            var ends: [CInt] = [0, 0]
            try #require(pipe(&ends) == 0)
            let sockets = InheritedSockets(descriptors: [descriptor, ends[0], ends[1], -1, 1_000_000])
            #expect(sockets.addresses == ["127.0.0.1:\(port)"])
            #expect(sockets.take(for: .tcp(host: "127.0.0.1", port: port == 1 ? 2 : port - 1)) == nil)
            #expect(sockets.take(for: .tcp(host: "127.0.0.2", port: port)) == nil)
            #expect(sockets.take(for: .tcp(host: "0.0.0.0", port: port)) == nil, "it would be open to others than was meant")
            #expect(sockets.take(for: .unix(path: "/tmp/x")) == nil)
            #expect(fcntl(ends[0], F_GETFD) != -1)
            for end in ends + [descriptor] { Glibc.close(end) }
        }
    }
#endif
