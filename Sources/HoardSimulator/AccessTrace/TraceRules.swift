// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Rules that a cache could have: an access trace is read as if the cache had had them.
///
/// They have the meaning of the options `ignore-query`, `lifetime`, `bypass` and `stale-while-revalidate` of the proxy's routes. All but a lifetime for everything need an
/// access trace with the targets of requests, that is an access log.
///
/// ```swift
/// var rules = TraceRules()
/// rules.ignoredParameters = ["utm_*"]
/// rules.lifetimes["/api/"] = 10_000
/// let reader = try AccessTraceReader(path: "access.log", rules: rules)
/// ```
public struct TraceRules: Hashable, Sendable {
    /// Parameters of the query that do not tell objects apart: names, or beginnings of names with `*` behind them; `*` alone for all.
    public var ignoredParameters: [String] = []
    /// The milliseconds for which objects may be used, by the beginnings of their paths. The longest beginning counts.
    /// `/` is for everything.
    public var lifetimes: [String: UInt64] = [:]
    /// Beginnings of the paths of objects that are not kept.
    public var bypassedPaths: Set<String> = []

    /// For how many milliseconds an expired object still answers requests while it is loaded anew.
    public var staleWhileRevalidate: UInt64 = 0

    /// Creates rules that change nothing; set the properties afterwards.
    public init() {}

    /// Whether there is no rule.
    public var isEmpty: Bool { self == TraceRules() }

    /// Whether the rules can be followed only where the targets of requests are known.
    var needTargets: Bool { !ignoredParameters.isEmpty || !bypassedPaths.isEmpty || lifetimes.keys.contains { $0 != "/" } }
}
