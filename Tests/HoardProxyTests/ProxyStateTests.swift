// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardNIOTestSupport
import HoardTesting
import Logging
import NIOPosix
import Testing

@testable import HoardProxy

/// The effect of a reload, and of the end of a proxy, on the parts that change in it.
@Suite(.timeLimit(.minutes(1))) struct ProxyStateTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func upstreams(
        _ configurations: [CachingProxy.Configuration.Upstream],
        keeping others: Upstreams? = nil
    ) throws -> Upstreams {
        try Upstreams(configurations, keeping: others, threads: MultiThreadedEventLoopGroup.singleton, logger: Self.logger)
    }

    private func state() throws -> ProxyState {
        ProxyState(.init(upstreams: []), try upstreams([]))
    }

    @Test func thereIsOneReloadAtATimeAndNoneAfterTheEnd() async throws {
        let state = try state()
        #expect(state.beginReload() != nil)
        #expect(state.beginReload() == nil)
        state.endReload()
        #expect(state.beginReload() != nil)
        #expect(state.end())
        #expect(!state.end())
        state.endReload()
        #expect(state.beginReload() == nil)
        await state.waitForReload()
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func theEndComesAfterTheReloadThatIsUnderWay(seed: UInt64) async throws {
        let state = try state()
        let order = Shared<[String]>([])
        #expect(state.beginReload() != nil)
        #expect(state.end())
        try await SeededExecutor(seed: seed).run {
            async let ended: Void = {
                await state.waitForReload()
                order.update { $0.append("ended") }
            }()
            async let reloaded: Void = {
                order.update { $0.append("reloaded") }
                state.endReload()
            }()
            _ = await (ended, reloaded)
        }
        #expect(order.value == ["reloaded", "ended"])
    }

    // MARK: Upstreams

    @Test func anUpstreamIsKeptUnlessItsTrustRootsHaveChanged() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "hoard-\(UUID()).pem").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try TestCertificate.first.certificate.write(toFile: path, atomically: true, encoding: .utf8)
        var secured = CachingProxy.Configuration.Upstream(name: "secured", servers: [try Origin("https://a.test")])
        secured.additionalTrustRootsPath = path
        let configurations = [secured, .init(name: "plain", servers: [try Origin("http://b.test")])]
        let first = try upstreams(configurations)
        let second = try upstreams(configurations, keeping: first)
        #expect(second.groups[0] === first.groups[0] && second.groups[1] === first.groups[1])
        try (TestCertificate.first.certificate + "\n" + TestCertificate.second.certificate).write(toFile: path, atomically: true, encoding: .utf8)
        let third = try upstreams(configurations, keeping: second)
        #expect(third.groups[0] !== first.groups[0] && third.groups[1] === first.groups[1])
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: ProxyError.self) { try upstreams(configurations, keeping: third) }
        for upstreams in [first, third] { await upstreams.shutdown() }
    }
}
