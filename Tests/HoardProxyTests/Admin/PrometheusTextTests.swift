// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardProxy

/// Figures as Prometheus reads them.
@Suite struct PrometheusTextTests {
    private func snapshot(_ change: (inout ProxyStatistics.Snapshot) -> Void = { _ in }) -> ProxyStatistics.Snapshot {
        let time = ManualTicker()
        var snapshot = ProxyStatistics(.init(version: "1 \"x\"\\\n", cacheByteCount: 1 << 20), ticker: time, wallClock: time).snapshot()
        change(&snapshot)
        return snapshot
    }

    @Test func familyHasHelpTypeAndSamples() {
        var text = PrometheusText()
        text.add("a_total", .counter, "What\\it\nis \"now\".", [.init(1, [("b", "x\"y\\z\n")]), .init(2.5, suffix: "_sum")])
        text.add("none", .gauge, "Nothing.", [])
        #expect(
            text.text == """
                # HELP a_total What\\\\it\\nis "now".
                # TYPE a_total counter
                a_total{b="x\\"y\\\\z\\n"} 1
                a_total_sum 2.5

                """
        )
    }

    @Test(arguments: [
        (0, "0"), (-3, "-3"), (1_234_567_890_123, "1234567890123"), (0.25, "0.25"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
    ])
    func numbersAreWrittenAsTheFormatHasThem(value: Double, expected: String) {
        var text = PrometheusText()
        text.add("a", .gauge, "A.", [.init(value)])
        #expect(text.text.hasSuffix("\na \(expected)\n"))
    }

    /// A parser that takes nothing but the format.
    private func samples(of text: String) throws -> [String: Double] {
        var samples: [String: Double] = [:]
        var types: Set<String> = []
        #expect(text.hasSuffix("\n"))
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# HELP ") { continue }
            if line.hasPrefix("# TYPE ") {
                let parts = line.split(separator: " ")
                #expect(parts.count == 4 && types.insert(String(parts[2])).inserted, "a family comes once")
                continue
            }
            let parts = try #require(try /([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)+\})? (\S+)/.wholeMatch(in: String(line))?.output)
            #expect(types.contains { parts.1.hasPrefix($0) })
            let value = try #require(parts.3 == "NaN" ? Double.nan : Double(String(parts.3).replacing("Inf", with: "infinity")))
            #expect(samples.updateValue(value, forKey: "\(parts.1)\(parts.2 ?? "")") == nil, "a sample comes once")
        }
        return samples
    }

    @Test func snapshotIsWrittenWhole() throws {
        let snapshot = snapshot {
            $0.requests.byOutcome = ["hit": 7, "miss": 3]
            $0.memory = .init(bytes: 100, limit: 1_000, entries: 2)
            $0.disk = .init(bytes: 5, limit: nil, entries: 1)
            $0.evictions = .init(memory: .init(capacity: 1, expired: 2, removed: 3, replaced: 4), disk: .init(capacity: 5, expired: 6, removed: 7))
            $0.connections = .init(open: 4, limit: 10, accepted: 20, webSockets: .init(open: 2, opened: 30))
            $0.origins = [
                .init(
                    name: "app",
                    servers: [.init(url: "http://10.0.0.1", state: "healthy", requests: 9), .init(url: "http://10.0.0.2", state: "unhealthy")]
                )
            ]
            $0.latency.memory = .init(count: 2, p50: 1_500, p90: 2_000, p99: 3_000, p999: 4_000, max: 5_000)
            $0.accessLog = .init(written: 1, dropped: 2, lost: 3)
            $0.process.residentBytes = 123
        }
        let samples = try samples(of: PrometheusText(snapshot).text)
        #expect(samples["hoard_requests_total{outcome=\"hit\"}"] == 7)
        #expect(samples["hoard_cache_bytes{tier=\"memory\"}"] == 100)
        #expect(samples["hoard_cache_limit_bytes{tier=\"memory\"}"] == 1_000)
        #expect(samples["hoard_cache_limit_bytes{tier=\"disk\"}"] == nil)
        #expect(samples["hoard_cache_departures_total{tier=\"memory\",cause=\"replaced\"}"] == 4)
        #expect(samples["hoard_cache_departures_total{tier=\"disk\",cause=\"removed\"}"] == 7)
        #expect(samples["hoard_connections_open"] == 4)
        #expect(samples["hoard_websockets_open"] == 2 && samples["hoard_websockets_opened_total"] == 30)
        #expect(samples["hoard_origin_up{upstream=\"app\",server=\"0\"}"] == 1)
        #expect(samples["hoard_origin_up{upstream=\"app\",server=\"1\"}"] == 0)
        #expect(samples["hoard_response_seconds{tier=\"memory\",quantile=\"0.5\"}"] == 0.0015)
        #expect(samples["hoard_response_seconds{tier=\"origin\",quantile=\"0.5\"}"]?.isNaN == true)
        #expect(samples["hoard_response_seconds_count{tier=\"memory\"}"] == 2)
        #expect(samples["hoard_access_log_lost_total"] == 3)
        #expect(samples["process_resident_memory_bytes"] == 123)
        #expect(samples.keys.contains { $0.hasPrefix("hoard_info{version=") })
    }

    @Test(arguments: [nil, "No space left on device."] as [String?])
    func aRecordingTellsWhetherItHasFailed(failure: String?) throws {
        let snapshot = snapshot { $0.recording = .init(written: 1, lost: 2, bytes: 3, failure: failure) }
        let samples = try samples(of: PrometheusText(snapshot).text)
        #expect(samples["hoard_recording_accesses_total"] == 1)
        #expect(samples["hoard_recording_lost_total"] == 2)
        #expect(samples["hoard_recording_bytes_total"] == 3)
        #expect(samples["hoard_recording_failed"] == (failure == nil ? 0 : 1))
    }

    @Test func shadowsAreToldByPolicyAndSize() throws {
        let snapshot = snapshot {
            $0.shadows = .init(
                sampledShare: 0.125,
                requests: 10,
                hits: 6,
                otherHits: 1,
                lost: 2,
                caches: [.init(policy: "lru", bytes: 1 << 20, hits: 5), .init(policy: "lru", bytes: 1 << 21, hits: 7)]
            )
        }
        let samples = try samples(of: PrometheusText(snapshot).text)
        #expect(samples["hoard_shadow_requests_total"] == 10)
        #expect(samples["hoard_shadow_hits_total{policy=\"lru\",bytes=\"1048576\"}"] == 5)
        #expect(samples["hoard_shadow_hits_total{policy=\"lru\",bytes=\"2097152\"}"] == 7)
        #expect(samples["hoard_shadow_real_hits_total"] == 6)
        #expect(samples["hoard_shadow_real_other_hits_total"] == 1)
        #expect(samples["hoard_shadow_lost_total"] == 2)
    }

    @Test func aSharedTierIsCalledByItsName() throws {
        let snapshot = snapshot {
            $0.shared = .init(
                name: "redis",
                state: .sound,
                space: .init(bytes: 10, limit: 100, entries: 3),
                hits: 4,
                misses: 5,
                failures: 6,
                pendingInvalidations: 7
            )
            $0.latency.store = .init(count: 2, p50: 1_500, p90: 2_000, p99: 3_000, p999: 4_000, max: 5_000)
        }
        let samples = try samples(of: PrometheusText(snapshot).text)
        #expect(samples["hoard_cache_bytes{tier=\"redis\"}"] == 10)
        #expect(samples["hoard_cache_limit_bytes{tier=\"redis\"}"] == 100)
        #expect(samples["hoard_cache_entries{tier=\"redis\"}"] == 3)
        #expect(samples["hoard_response_seconds{tier=\"redis\",quantile=\"0.5\"}"] == 0.0015)
        #expect(samples["hoard_response_seconds_count{tier=\"store\"}"] == nil)
        #expect(samples["hoard_store_up{tier=\"redis\"}"] == 1)
        #expect(samples["hoard_store_hits_total{tier=\"redis\"}"] == 4)
        #expect(samples["hoard_store_misses_total{tier=\"redis\"}"] == 5)
        #expect(samples["hoard_store_failures_total{tier=\"redis\"}"] == 6)
        #expect(samples["hoard_store_pending_invalidations{tier=\"redis\"}"] == 7)
    }

    @Test(arguments: [(ProxyStatistics.Snapshot.SharedTier.State.sound, 1.0), (.recovering, 1), (.unreachable, 0)])
    func aSharedTierThatDoesNotAnswerIsDown(state: ProxyStatistics.Snapshot.SharedTier.State, up: Double) throws {
        let snapshot = snapshot { $0.shared = .init(name: "redis", state: state) }
        let samples = try samples(of: PrometheusText(snapshot).text)
        #expect(samples["hoard_store_up{tier=\"redis\"}"] == up)
        #expect(samples["hoard_cache_bytes{tier=\"redis\"}"] == nil && samples["hoard_store_hits_total{tier=\"redis\"}"] == nil, "nobody knows")
    }

    @Test func noLabelHasAURL() throws {
        let snapshot = snapshot {
            $0.hottest = [.init(uri: "http://a/secret", requests: 1, bytes: 1)]
            $0.largest = [.init(uri: "http://a/secret", bytes: 1)]
            $0.origins = [.init(name: "app", servers: [.init(url: "http://secret", state: "healthy")])]
        }
        let text = PrometheusText(snapshot).text
        #expect(!text.contains("secret") && !text.contains("http://"))
    }

    @Test func unknownPartsAreLeftOut() throws {
        let snapshot = snapshot {
            $0.memory = nil
            $0.disk = nil
            $0.evictions = nil
            $0.connections = nil
            $0.origins = nil
            $0.accessLog = nil
            $0.process = .init(residentBytes: nil, openFiles: nil)
        }
        let text = PrometheusText(snapshot).text
        for name in ["hoard_cache", "hoard_connections", "hoard_origin_up", "hoard_access_log", "process_"] { #expect(!text.contains(name)) }
        #expect(try !samples(of: text).isEmpty)
    }
}
