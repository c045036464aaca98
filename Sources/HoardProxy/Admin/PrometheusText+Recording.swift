// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension PrometheusText {
    mutating func addRecording(_ recording: ProxyStatistics.Snapshot.Recording) {
        add("hoard_recording_accesses_total", .counter, "Accesses written into the recording.", recording.written)
        add("hoard_recording_lost_total", .counter, "Accesses that came too fast to be recorded, or could not be written.", recording.lost)
        add("hoard_recording_bytes_total", .counter, "Bytes written into the recording.", recording.bytes)
        add("hoard_recording_failed", .gauge, "Whether the recording has ended because it could not be written.", recording.failure == nil ? 0 : 1)
    }

    /// The caches are those of the settings, so that there are a few.
    mutating func addShadows(_ shadows: ProxyStatistics.Snapshot.Shadows) {
        add("hoard_shadow_requests_total", .counter, "Requests of the sample that other caches were simulated on.", shadows.requests)
        add(
            "hoard_shadow_hits_total",
            .counter,
            "Requests of the sample that a simulated cache would have answered from memory, by its policy and size.",
            shadows.caches.map { Sample(Double($0.hits), [("policy", $0.policy), ("bytes", String($0.bytes))]) }
        )
        add("hoard_shadow_real_hits_total", .counter, "Requests of the sample that this cache has answered from memory, fresh.", shadows.hits)
        add(
            "hoard_shadow_real_other_hits_total",
            .counter,
            "Requests of the sample that this cache has answered from a store, or stale.",
            shadows.otherHits
        )
        add("hoard_shadow_lost_total", .counter, "Accesses that came too fast to be replayed.", shadows.lost)
    }
}
