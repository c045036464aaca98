// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A cluster node's answer when it cannot carry out a command itself.
enum ClusterRedirection: Equatable {
    /// The slot belongs to another node, from now on.
    case moved(slot: Int, ClusterEndpoint)
    /// The slot is being moved, and this key may be on the other node already: for this one command only.
    case ask(ClusterEndpoint)
    /// The node cannot answer for the moment.
    case later

    /// - Parameter error: The text of an error of a server. `nil` if it is any other error, or one that cannot be read.
    init?(_ error: String) {
        let words = error.split(separator: " ", omittingEmptySubsequences: false)
        switch words[0] {
        case "MOVED":
            guard words.count == 3, let slot = Int(words[1]), 0..<ClusterSlot.count ~= slot, let place = ClusterEndpoint(words[2]) else { return nil }
            self = .moved(slot: slot, place)
        case "ASK":
            guard words.count == 3, let place = ClusterEndpoint(words[2]) else { return nil }
            self = .ask(place)
        case "TRYAGAIN", "CLUSTERDOWN", "LOADING", "MASTERDOWN": self = .later
        default: return nil
        }
    }
}

/// Where a node is, as another node tells.
struct ClusterEndpoint: Hashable {
    /// `nil`: the same as that of the node that tells.
    let host: String?
    let port: Int

    init(host: String?, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `host:port`. The host may be an IPv6 address without brackets, or empty.
    init?(_ text: Substring) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]), 1...65_535 ~= port else { return nil }
        let host = text[..<colon]
        self.init(host: host.isEmpty || host == "?" ? nil : String(host), port: port)
    }

    /// - Parameter teller: The node that tells.
    func address(toldBy teller: RedisConfiguration.Address) -> RedisConfiguration.Address? {
        if let host { return .tcp(host: host, port: port) }
        guard case .tcp(let host, _) = teller.base else { return nil }
        return .tcp(host: host, port: port)
    }
}
