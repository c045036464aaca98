// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@_spi(Client) @testable import HoardRedis

/// The fake server, on threads.
@Suite(.timeLimit(.minutes(5))) struct FakeRedisTests {
    /// A command that stays behind stops the test that sent it for ever, unless another command happens to follow.
    @Test func commandsThatConnectionsSendAtTheSameTimeAreAllExecuted() async throws {
        let server = FakeRedis(ticker: ManualTicker())
        let connections = (0..<3).map { _ in server.connect(prefix: nil) { _ in } }
        for _ in 0..<5_000 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for connection in connections {
                    group.addTask {
                        let reply = try await connection.send(RedisCommand("PING"))
                        #expect(reply == .simpleString("PONG"))
                    }
                }
                try await group.waitForAll()
            }
        }
        for connection in connections { await connection.close() }
    }
}
