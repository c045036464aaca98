// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardSimulator

extension ProxySettings {
    static let shadowSchema: [Setting<Shadow>] = [
        .value(
            "policy",
            .choice(Shadow.policies.map(\.name)),
            \.policy,
            "What decides which responses leave."
        ) { value throws(SettingProblem) in
            try value.policy()
        } write: {
            .scalar($0.name)
        },
        .value(
            "memory",
            .size,
            \.memoryByteCount,
            "How much it would hold. By default as much as the cache's memory."
        ) { value throws(SettingProblem) in
            try value.isAbsent ? nil : value.size(in: 1...SimulationCapacity.maximumBytes)
        } write: {
            $0.map { .scalar(SizeText.text($0)) }
        },
    ]
}

extension ProxySettings.Shadow {
    fileprivate static var policies: [SimulationPolicy] { ShadowSimulation.policies(countingBytes: true) }

    /// The cache that is simulated.
    func cache(insteadOf memoryByteCount: Int) -> ShadowSimulation.Shadow {
        .init(policy, .bytes(min(max(1, self.memoryByteCount ?? memoryByteCount), SimulationCapacity.maximumBytes)))
    }
}

extension WrittenValue {
    fileprivate func policy() throws(SettingProblem) -> SimulationPolicy {
        let policies = ProxySettings.Shadow.policies
        return try choice(policies.map(\.name)) { name in policies.first { $0.name == name } }
    }

    /// A policy, or a policy, a colon and a size.
    func shadow() throws(SettingProblem) -> ProxySettings.Shadow {
        let parts = try text("a policy").split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var shadow = ProxySettings.Shadow()
        shadow.policy = try WrittenValue(parts[0], at: place).policy()
        if parts.count > 1 { shadow.memoryByteCount = try WrittenValue(parts[1], at: place).size(in: 1...SimulationCapacity.maximumBytes) }
        return shadow
    }
}
