// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Foundation
    import Glibc
    import HoardHTTP
    import HoardTestingServer
    import Testing

    @testable import HoardCommand

    /// The messages for systemd, received by a socket that stands in for its own.
    @Suite(.timeLimit(.minutes(5)))
    struct ServiceManagerTests {
        /// Receives the messages of services.
        final class Listener: Sendable {
            private let descriptor: Int32
            let address: String

            init(_ address: String) throws {
                self.address = address
                descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
                var own = sockaddr_un()
                own.sun_family = sa_family_t(AF_UNIX)
                var path = Array(address.utf8)
                if path[0] == UInt8(ascii: "@") { path[0] = 0 }
                withUnsafeMutableBytes(of: &own.sun_path) { $0.copyBytes(from: path) }
                let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
                let status = withUnsafePointer(to: &own) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, length) }
                }
                try #require(descriptor >= 0 && status == 0)
            }

            deinit { close(descriptor) }

            /// The next message, by its variables. Waits on a thread of its own.
            func next() async -> [String: String] {
                await withCheckedContinuation { continuation in
                    Thread.detachNewThread { [descriptor] in
                        var bytes = [UInt8](repeating: 0, count: 4_096)
                        let count = recv(descriptor, &bytes, bytes.count, 0)
                        let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
                        let pairs = lines.map { line in
                            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                            return (String(parts[0]), String(parts.last ?? ""))
                        }
                        continuation.resume(returning: Dictionary(pairs) { $1 })
                    }
                }
            }
        }

        @Test func managerLearnsOfStartReloadAndEnd() async throws {
            let directory = try TemporaryDirectory()
            let listener = try Listener(directory.path("notify"))
            let origin = try await FakeOrigin.start { _, _ in .init("ok") }
            let (proxy, address) = try await HoardProcess.proxy(
                origin: origin.url,
                directory: directory.path("cache"),
                through: ["/usr/bin/env", "NOTIFY_SOCKET=\(listener.address)"]
            )
            #expect(await listener.next() == ["READY": "1", "STATUS": "Serving \(address)."])
            proxy.signal(SIGHUP)
            let reloading = await listener.next()
            #expect(reloading["RELOADING"] == "1")
            let time = try #require(reloading["MONOTONIC_USEC"].flatMap { Int($0) })
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            #expect(time > 0 && time <= now.tv_sec * 1_000_000 + now.tv_nsec / 1_000)
            #expect(await listener.next()["READY"] == "1")
            proxy.signal(SIGTERM)
            #expect(await listener.next()["STOPPING"] == "1")
            #expect(await proxy.result().status == 0)
            await origin.stop()
        }

        @Test(
            arguments: [
                (["LISTEN_PID": "7", "LISTEN_FDS": "2"], [3, 4]), (["LISTEN_PID": "8", "LISTEN_FDS": "2"], []), (["LISTEN_FDS": "2"], []), ([:], []),
                (["LISTEN_PID": "7"], []), (["LISTEN_PID": "7", "LISTEN_FDS": "0"], []), (["LISTEN_PID": "7", "LISTEN_FDS": "-1"], []),
                (["LISTEN_PID": "7", "LISTEN_FDS": "99999999999"], []), (["LISTEN_PID": "x", "LISTEN_FDS": "1"], []),
            ] as [([String: String], [Int32])]
        )
        func socketsAreForTheProcessThatIsNamed(environment: [String: String], descriptors: [Int32]) {
            #expect(ServiceManager.socketDescriptors(environment: environment, processID: 7) == descriptors)
        }

        @Test func nameMayBeAbstract() async throws {
            let listener = try Listener("@hoard-test-\(UUID().uuidString)")
            ServiceManager(environment: ["NOTIFY_SOCKET": listener.address]).ready("two\nlines\rREADY=0")
            #expect(await listener.next() == ["READY": "1", "STATUS": "two lines READY=0"])
        }

        @Test(arguments: ["", "relative", "/nobody/listens/here", "/" + String(repeating: "x", count: 200)])
        func managerThatCannotBeReachedChangesNothing(_ address: String) {
            let manager = ServiceManager(environment: ["NOTIFY_SOCKET": address])
            manager.ready("")
            manager.reloading()
            manager.stopping()
            ServiceManager(environment: [:]).stopping()
        }
    }
#endif
