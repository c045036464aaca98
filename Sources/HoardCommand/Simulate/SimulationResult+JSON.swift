// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardSimulator

extension SimulationResult {
    /// Whether bytes say more than requests do.
    var showsBytes: Bool { countsBytes || hasSizes }

    /// The result as a line of JSON, its fields in the order in which a person would name them. It has only figures
    /// that the trace gives.
    var json: String {
        get throws {
            var fields = [("trace", try jsonLine(trace)), ("capacity", "\(capacity)")]
            if countsBytes { fields.append(("unit", "\"bytes\"")) }
            fields += [("policy", "\"\(policy)\""), ("requests", "\(requests)"), ("hits", "\(hits)"), ("hitRatio", "\(hitRatio)")]
            if showsBytes {
                fields += [("requestedBytes", "\(requestedBytes)"), ("hitBytes", "\(hitBytes)"), ("byteHitRatio", "\(byteHitRatio)")]
            }
            if let diskHits, let diskHitBytes {
                fields += [("memoryHits", "\(hits - diskHits)"), ("diskHits", "\(diskHits)")]
                if showsBytes { fields.append(("diskHitBytes", "\(diskHitBytes)")) }
            }
            if let fleet { fields += fleet.fields(hits: hits) }
            if let requestedTime, let savedTime, let savedTimeRatio {
                fields += [
                    ("requestedMicroseconds", "\(Int(requestedTime / .microseconds(1)))"),
                    ("savedMicroseconds", "\(Int(savedTime / .microseconds(1)))"),
                ]
                fields.append(("savedTimeRatio", "\(savedTimeRatio)"))
            }
            if let staleHits { fields.append(("staleHits", "\(staleHits)")) }
            if let expired { fields.append(("expired", "\(expired)")) }
            return "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        }
    }
}

extension FleetResult {
    /// The fields of a line of JSON.
    fileprivate func fields(hits: Int) -> [(String, String)] {
        var fields = [("nodes", "\(fleet.nodes)"), ("route", "\"\(fleet.route)\""), ("nearHits", "\(hits - (sharedHits ?? 0))")]
        if let sharedHits { fields.append(("sharedHits", "\(sharedHits)")) }
        fields += [("originLoads", "\(originLoads)"), ("keys", "\(keyCount)"), ("loadsPerKey", "\(loadsPerKey)")]
        fields.append(("mostLoadsOfAKey", "\(mostLoadsOfAKey)"))
        if let originLoadsWithoutLeases {
            fields += [("originLoadsWithoutLeases", "\(originLoadsWithoutLeases)"), ("hasLoadTimes", "\(hasLoadTimes)")]
            fields += [("bytesFromShared", "\(bytesFromShared)"), ("bytesToShared", "\(bytesToShared)")]
        }
        return fields
    }
}
