// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import HoardProxy
internal import HoardSimulator

/// Capacities on the command line: `100,10%,64MiB,5%B`.
struct CapacityList: ExpressibleByArgument, Sendable {
    let capacities: [SimulationCapacity]

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        let capacities = parts.compactMap { SimulationCapacity($0.trimmingCharacters(in: .whitespaces)) }
        guard capacities.count == parts.count else { return nil }
        self.capacities = capacities
    }
}

/// Policies on the command line: `hoard,lru`.
struct PolicyList: ExpressibleByArgument, Sendable {
    static let names = SimulationPolicy.all.map(\.name).joined(separator: ", ")

    let policies: [SimulationPolicy]
    /// Whether the user has named the policies.
    let isExplicit: Bool

    /// All policies.
    init() {
        policies = SimulationPolicy.all
        isExplicit = false
    }

    /// The fault of a policy that was named and cannot count the unit of a capacity, or not stand above a disk or in a fleet; `nil` if there is none.
    ///
    /// - Parameter option: The option that puts the caches there, without its hyphens.
    func fault(with capacities: [SimulationCapacity], of option: String?) -> String? {
        guard isExplicit else { return nil }
        if let option, let policy = policies.first(where: { !$0.canStandAboveDisk }) {
            return "\(policy) cannot be simulated \(option == "disk" ? "above a disk" : "in a fleet"): leave it out of --policy, or --\(option)."
        }
        for policy in policies {
            for capacity in capacities where !policy.canCount(bytes: capacity.countsBytes) {
                return capacity.countsBytes
                    ? "\(policy) counts keys, not bytes: give capacities such as 1000 or 5%, or leave \(policy) out of --policy."
                    : "\(policy) counts bytes, not keys: give capacities such as 64MiB or 5%B, or leave \(policy) out of --policy."
            }
        }
        return nil
    }

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        let policies = parts.compactMap { SimulationPolicy(name: $0.trimmingCharacters(in: .whitespaces)) }
        guard policies.count == parts.count else { return nil }
        var seen: Set<SimulationPolicy> = []
        self.policies = policies.filter { seen.insert($0).inserted }
        isExplicit = true
    }

    var defaultValueDescription: String { "all" }
}

/// The format of an access trace on the command line: `access-log`.
struct TraceFormat: ExpressibleByArgument, Sendable {
    static let allValueStrings = AccessTraceFormat.all.map(\.name)

    let format: AccessTraceFormat

    init?(argument: String) {
        guard let format = AccessTraceFormat(name: argument) else { return nil }
        self.format = format
    }
}

/// One capacity on the command line: `10GiB`.
struct TraceCapacity: ExpressibleByArgument, Sendable {
    let capacity: SimulationCapacity

    init?(argument: String) {
        guard let capacity = SimulationCapacity(argument) else { return nil }
        self.capacity = capacity
    }
}

/// A lifetime on the command line: `10s` for everything, or `/api/=10s` for objects below a path.
struct PathLifetime: ExpressibleByArgument, Sendable {
    let path: String
    let milliseconds: UInt64

    init?(argument: String) {
        let equals = argument.lastIndex(of: "=")
        let path = equals.map { String(argument[..<$0]) } ?? "/"
        guard path.hasPrefix("/"), let lifetime = TraceDuration(argument: equals.map { String(argument[argument.index(after: $0)...]) } ?? argument)
        else {
            return nil
        }
        self.path = path
        self.milliseconds = lifetime.milliseconds
    }
}

/// A length of time on the command line: `10s`.
struct TraceDuration: ExpressibleByArgument, Sendable {
    let milliseconds: UInt64

    init?(argument: String) {
        guard !argument.isEmpty, let duration = DurationText.duration(argument) else { return nil }
        let (seconds, attoseconds) = duration.components
        milliseconds = UInt64(seconds) * 1_000 + UInt64(attoseconds / 1_000_000_000_000_000)
    }
}

/// Names on the command line, separated by commas: `utm_*,fbclid`.
struct ParameterList: ExpressibleByArgument, Sendable {
    let names: [String]

    init?(argument: String) {
        names = argument.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        if names.isEmpty { return nil }
    }
}

/// The number of nodes of a fleet on the command line: `4`.
struct NodeCount: ExpressibleByArgument, Sendable {
    let count: Int

    init?(argument: String) {
        guard let count = Int(argument), (1...Fleet.maximumNodes).contains(count) else { return nil }
        self.count = count
    }
}

/// The route of requests to nodes on the command line: `hash`.
struct NodeRoute: ExpressibleByArgument, Sendable {
    static let allValueStrings = FleetRoute.all.map(\.description)

    let route: FleetRoute

    init?(argument: String) {
        guard let route = FleetRoute(name: argument) else { return nil }
        self.route = route
    }
}
