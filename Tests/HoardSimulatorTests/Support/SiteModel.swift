// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

@testable import HoardSimulator

/// A model of a site behind a cache. It writes an access log of its requests.
struct SiteModel {
    /// A part of the site.
    struct Section {
        var path: String
        /// The share of requests for this section, relative to the other sections.
        var weight: Double
        var objects: Int
        /// The smallest number of bytes of an object. The greatest is four times as much.
        var size: Int
        /// The number of milliseconds for which objects are fresh, or `nil` if they are not kept.
        var lifetime: UInt64?
        /// The number of milliseconds after which an object and its size change, or `nil` if it stays the same.
        var period: UInt64?
        /// The number of milliseconds that a load takes.
        var load: UInt64 = 5
        var hasValidators = false
        var variesByAgent = false
        /// The share of the requests that have one of the parameters, with a value that no other request has.
        var queryShare = 0.0
        var parameters: [String] = []
        /// Whether each request is for another object.
        var isOnce = false
        /// The percentage of the log's time for which the origin fails, from the middle on, for
        /// objects that are already there.
        var failingPercent = 0
    }

    var sections: [Section]
    /// The number of milliseconds that the log covers.
    var span: UInt64 = 3_600_000
    var requests = 40_000
    var clients = 400
    var agents = 24
    /// The bytes that the cache holds.
    var capacity = Int.max
    var collapses = true

    private struct Stored {
        var size: Int
        var version: UInt64
        var freshUntil: UInt64
        var loadedAt: UInt64
        var lastUse: UInt64
    }

    /// The lines of the log in JSON, as the proxy writes them.
    func log(seed: UInt64) -> String {
        var random = SplitMix64(state: seed)
        var stored: [String: Stored] = [:]
        var (held, clock) = (0, UInt64(0))
        var lines = ""
        var once = 0
        for _ in 0..<requests {
            clock += UInt64.random(in: 0...(2 * span / UInt64(requests)), using: &random)
            let section = pick(&random)
            let rank = Self.rank(of: section.objects, &random)
            let client = Int.random(in: 0..<clients, using: &random)
            var target = section.path + "\(rank)"
            if section.isOnce {
                once += 1
                target += "-\(once)"
            }
            if Double.random(in: 0..<1, using: &random) < section.queryShare, let name = section.parameters.randomElement(using: &random) {
                target += "?\(name)=\(Int.random(in: 0..<500, using: &random))"
            }
            let version = section.period.map { (clock &+ UInt64(rank) &* 7_919) / $0 } ?? 0
            let size = section.size + Int(mixed(UInt64(rank) &* 31 &+ version &* 1_009 &+ UInt64(section.path.utf8.count)) % UInt64(section.size * 3))
            let key = section.variesByAgent ? target + "#\(client % agents)" : target
            let isFailing = clock * 100 > span * 50 && clock * 100 < span * UInt64(50 + section.failingPercent)
            var (outcome, status, duration) = ("miss", 200, section.load)
            if var entry = stored[key] {
                entry.lastUse = clock
                if clock < entry.loadedAt + section.load {
                    (outcome, duration) = collapses ? ("collapsedHit", entry.loadedAt + section.load - clock) : ("miss", section.load)
                } else if clock < entry.freshUntil {
                    (outcome, duration) = ("hit", 0)
                } else if !isFailing {
                    outcome = section.hasValidators && entry.version == version ? "validatedHit" : "miss"
                    held += size - entry.size
                    entry = Stored(size: size, version: version, freshUntil: clock + (section.lifetime ?? 0), loadedAt: clock, lastUse: clock)
                }
                stored[key] = entry
                if outcome == "miss", isFailing { status = 502 }
            } else if isFailing {
                status = 502
            } else if let lifetime = section.lifetime {
                stored[key] = Stored(size: size, version: version, freshUntil: clock + lifetime, loadedAt: clock, lastUse: clock)
                held += size
                while held > capacity, let oldest = stored.min(by: { $0.value.lastUse < $1.value.lastUse }) {
                    held -= oldest.value.size
                    stored[oldest.key] = nil
                }
            }
            lines += line(clock, client, target, status, size: status == 200 ? size : 30, outcome, milliseconds: duration, &random)
        }
        return lines
    }

    private func line(
        _ clock: UInt64,
        _ client: Int,
        _ target: String,
        _ status: Int,
        size: Int,
        _ outcome: String,
        milliseconds: UInt64,
        _ random: inout SplitMix64
    ) -> String {
        let microseconds = milliseconds * 1_000 + UInt64.random(in: 0..<900, using: &random)
        return """
            {"time":\(1_790_000_000_000 + clock),"remoteAddress":"10.0.\(client / 250).\(client % 250)","method":"GET","target":"\(target)",\
            "status":\(status),"bytes":\(size),"userAgent":"agent \(client % agents)","cache":"\(outcome)",\
            "seconds":0.\(String(repeating: "0", count: max(0, 6 - "\(microseconds)".count)))\(microseconds)}

            """
    }

    private func pick(_ random: inout SplitMix64) -> Section {
        var left = Double.random(in: 0..<sections.reduce(0) { $0 + $1.weight }, using: &random)
        for section in sections {
            left -= section.weight
            if left < 0 { return section }
        }
        return sections[0]
    }

    /// The rank of an object: the third power of an evenly distributed number. Requests ask often for low ranks.
    private static func rank(of count: Int, _ random: inout SplitMix64) -> Int {
        let share = Double.random(in: 0..<1, using: &random)
        return Int(share * share * share * Double(count))
    }
}

extension SiteModel.Section {
    /// Images that stay the same, with a lifetime of more than an hour.
    static let images = Self(path: "/images/", weight: 4, objects: 300, size: 8_000, lifetime: 100_000_000, hasValidators: true)
    /// Pages that change each minute, with a lifetime of half a minute.
    static let pages = Self(path: "/pages/", weight: 4, objects: 100, size: 3_000, lifetime: 30_000, period: 60_000)
}
