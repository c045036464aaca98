// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// A node's report on itself (`CLUSTER INFO`).
///
/// See <https://redis.io/docs/latest/commands/cluster-info/>.
struct ClusterInfo: Equatable, Sendable {
    /// Grow when slots go to other nodes.
    struct Epochs: Equatable, Sendable {
        var current: Int64 = 0
        var own: Int64 = 0
    }

    /// Whether the node serves: it sees most of the masters, and every slot has one.
    var isHealthy = false
    var epochs = Epochs()

    /// `nil` if it is something else.
    init?(reply: RESPValue) {
        let text: String
        switch reply {
        case .verbatimString(_, let bytes), .bulkString(let bytes): text = String(buffer: bytes)
        default: return nil
        }
        var hasState = false
        for line in text.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...]
            switch line[..<colon] {
            case "cluster_state":
                isHealthy = value == "ok"
                hasState = true
            case "cluster_current_epoch": epochs.current = Int64(value) ?? 0
            case "cluster_my_epoch": epochs.own = Int64(value) ?? 0
            default: break
            }
        }
        guard hasState else { return nil }
    }
}
