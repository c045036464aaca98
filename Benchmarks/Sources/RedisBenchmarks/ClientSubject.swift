// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

@_spi(Client) internal import HoardRedis
internal import NIOCore
internal import Synchronization

/// Hoard's client with one connection, used by many tasks at once.
struct ClientSubject {
    /// The key that redis-benchmark asks for.
    static let key = "key:__rand_int__"

    let client: RedisClient

    init(port: Int, certificatePath: String? = nil) throws {
        var configuration = RedisConfiguration(address: .tcp(host: "127.0.0.1", port: port))
        if let certificatePath {
            var tls = RedisConfiguration.TLS()
            tls.additionalTrustRootsPath = certificatePath
            configuration.tls = tls
        }
        client = try RedisClient(configuration)
    }

    func write(byteCount: Int) async throws {
        _ = try await client.send(RedisCommand("SET", key: .string(Self.key), [.bytes(Array(repeating: 0x78, count: byteCount))]))
    }

    /// Each task reads again and again until the time is over.
    /// - Returns: GETs in a second. Every reply is looked at.
    func rate(taskCount: Int, byteCount: Int, duration: Duration) async throws -> Double {
        let client = client
        let isOver = Flag()
        let clock = ContinuousClock()
        let start = clock.now
        let total = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<taskCount {
                group.addTask {
                    var count = 0
                    while !isOver.isSet {
                        let reply = try await client.send(RedisCommand("GET", key: .string(Self.key)))
                        guard case .bulkString(let bytes) = reply, bytes.readableBytes == byteCount else { throw WrongReply() }
                        count += 1
                    }
                    return count
                }
            }
            try await clock.sleep(for: duration)
            isOver.set()
            return try await group.reduce(0, +)
        }
        let seconds = Double((clock.now - start) / .nanoseconds(1)) / 1e9
        return Double(total) / seconds
    }
}

struct WrongReply: Error {}

/// Something that happens once.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() {
        value.store(true, ordering: .relaxed)
    }
}
