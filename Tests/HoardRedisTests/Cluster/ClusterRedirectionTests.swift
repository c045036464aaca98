// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct ClusterRedirectionTests {
    @Test func aNodeNamesTheOneThatHasTheSlot() {
        #expect(ClusterRedirection("MOVED 3999 127.0.0.1:6381") == .moved(slot: 3_999, ClusterEndpoint(host: "127.0.0.1", port: 6_381)))
        #expect(ClusterRedirection("ASK 3999 redis-2.example:6381") == .ask(ClusterEndpoint(host: "redis-2.example", port: 6_381)))
        #expect(ClusterRedirection("MOVED 0 2001:db8::2:6379") == .moved(slot: 0, ClusterEndpoint(host: "2001:db8::2", port: 6_379)))
    }

    /// Redis 7 leaves the host out if it is told that clients know a better one.
    @Test(arguments: ["MOVED 16383 :6381", "MOVED 16383 ?:6381"])
    func withoutAHostTheNodeMeansItsOwn(text: String) {
        #expect(ClusterRedirection(text) == .moved(slot: 16_383, ClusterEndpoint(host: nil, port: 6_381)))
        let endpoint = ClusterEndpoint(host: nil, port: 6_381)
        #expect(endpoint.address(toldBy: .tcp(host: "a", port: 1)) == .tcp(host: "a", port: 6_381))
        #expect(endpoint.address(toldBy: .unix(path: "/a")) == nil)
    }

    @Test(arguments: [
        "TRYAGAIN Multiple keys request during rehashing of slot", "CLUSTERDOWN The cluster is down", "CLUSTERDOWN Hash slot not served",
        "LOADING Redis is loading the dataset in memory", "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    ])
    func whatMayWorkLaterIsTriedLater(text: String) {
        #expect(ClusterRedirection(text) == .later)
    }

    @Test(arguments: [
        "", "ERR", "MOVED", "MOVED 1", "MOVED 16384 a:1", "MOVED -1 a:1", "MOVED x a:1", "MOVED 1 a", "MOVED 1 a:0", "MOVED 1 a:65536", "MOVED 1 a:b",
        "MOVED 1 a:1 b", "ASK 1", "ASK 1 a", "ASKING", "moved 1 a:1", "WRONGTYPE Operation", "OOM command not allowed",
    ])
    func otherErrorsAreReplies(text: String) {
        #expect(ClusterRedirection(text) == nil)
    }

    @Test func aNodeTellsHowItIs() {
        let text = "cluster_enabled:1\r\ncluster_state:ok\r\ncluster_slots_assigned:16384\r\ncluster_current_epoch:6\r\ncluster_my_epoch:2\r\n"
        let info = ClusterInfo(reply: .verbatimString(format: "txt", ByteBuffer(string: text)))
        #expect(info?.isHealthy == true)
        #expect(info?.epochs == ClusterInfo.Epochs(current: 6, own: 2))
        #expect(ClusterInfo(reply: .bulk("cluster_state:fail\r\n"))?.isHealthy == false)
        #expect(ClusterInfo(reply: .error("ERR This instance has cluster support disabled")) == nil)
        #expect(ClusterInfo(reply: .bulk("cluster_my_epoch:2\r\n")) == nil)
    }

    @Test func aCommandIsSentOnOnlyAFewTimesAndWaitsLongerEachTime() {
        var attempt = ClusterAttempt(now: 0, timeout: 1_000_000_000)
        let count = (1...100).prefix { _ in attempt.mayRedirect() }.count
        #expect(count == ClusterAttempt.maximumRedirectionCount)

        var (now, waits): (Int64, [Int64]) = (0, [])
        while let next = attempt.nextAttempt(now: now, random: 0) {
            waits.append(next - now)
            now = next
        }
        #expect(waits == [5, 10, 20, 40, 80, 160, 200, 200, 200].map { $0 * 1_000_000 })
        var jittered = ClusterAttempt(now: 0, timeout: 1_000_000_000)
        let first = jittered.nextAttempt(now: 0, random: 1)
        #expect(first == 2_500_000)
    }
}
