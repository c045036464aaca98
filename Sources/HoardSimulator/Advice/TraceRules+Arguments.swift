// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension TraceRules {
    /// The arguments of `hoard simulate` that replay an access trace under these rules.
    func arguments(path: String, format: AccessTraceFormat?, capacity: SimulationResult) -> [String] {
        var arguments = [path, "--capacity", capacity.capacityText, "--policy", capacity.policy.name]
        if let format { arguments += ["--format", format.name] }
        if !ignoredParameters.isEmpty { arguments += ["--ignore-query", ignoredParameters.joined(separator: ",")] }
        for (path, lifetime) in lifetimes.sorted(by: { $0.key < $1.key }) { arguments += ["--lifetime", "\(path)=\(NiceDuration.text(lifetime))"] }
        for path in bypassedPaths.sorted() { arguments += ["--bypass", path] }
        if staleWhileRevalidate > 0 { arguments += ["--stale-while-revalidate", NiceDuration.text(staleWhileRevalidate)] }
        return arguments
    }
}

extension Advice.Kind {
    /// Whether an advice of the kind is of use only if it brings hits.
    var needsHits: Bool { [.ignoredParameters, .longerLifetime, .missingLifetime].contains(self) }
}
