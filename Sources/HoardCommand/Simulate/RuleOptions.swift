// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HoardSimulator

/// Rules that the cache shall have had, named as the options of the proxy's routes are.
struct RuleOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "As if these parameters of queries were ignored: names, or beginnings of names with * behind them. Only for access logs.",
            valueName: "name,…"
        )
    )
    var ignoreQuery: ParameterList?

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            As if objects could be used for so long, or those below a path (/api/=10s). May be given several times. Paths are for access \
            logs only.
            """,
            valueName: "[path=]duration"
        )
    )
    var lifetime: [PathLifetime] = []

    @Option(
        name: .long,
        help: ArgumentHelp("As if what is below a path were not kept. May be given several times. Only for access logs.", valueName: "path")
    )
    var bypass: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "As if an object answered for so long after its lifetime, while it is loaded anew. Not with --disk or --nodes.",
            valueName: "duration"
        )
    )
    var staleWhileRevalidate: TraceDuration?

    func validate() throws {
        if let path = bypass.first(where: { !$0.hasPrefix("/") }) { throw ValidationError("A path begins with a slash; “\(path)” does not.") }
    }

    var rules: TraceRules {
        var rules = TraceRules()
        rules.ignoredParameters = ignoreQuery?.names ?? []
        // Of the same path given twice, the last one counts.
        rules.lifetimes = Dictionary(lifetime.map { ($0.path, $0.milliseconds) }) { $1 }
        rules.bypassedPaths = Set(bypass)
        rules.staleWhileRevalidate = staleWhileRevalidate?.milliseconds ?? 0
        return rules
    }
}
