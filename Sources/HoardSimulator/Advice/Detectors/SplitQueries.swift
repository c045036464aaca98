// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Parameters of queries that make several objects of one.
struct SplitQueries {
    let proposal: Proposal
    /// The paths where it was seen.
    let paths: [String]

    /// Parameters that are known to be for scripts and statistics, and for no server that makes pages.
    private static let known: Set<String> = [
        "utm_*", "fbclid", "gclid", "gclsrc", "dclid", "msclkid", "mc_cid", "mc_eid", "yclid", "igshid", "_ga", "_gl", "wbraid", "gbraid", "ttclid",
        "twclid",
    ]

    /// One for all parameters that the profile speaks for.
    static func proposals(_ profile: SiteProfile) -> [SplitQueries] {
        guard let (advice, names, paths) = advice(profile.queries, path: profile.tree.path) else { return [] }
        var after = TraceRules()
        after.ignoredParameters = names
        return [SplitQueries(proposal: Proposal(advice: advice, rules: (TraceRules(), after)), paths: paths)]
    }

    /// The advice, the parameters that it names, and the paths where they were seen.
    static func advice(_ queries: QuerySplits, path: (Int) -> String) -> (advice: Advice, names: [String], paths: [String])? {
        let found = queries.parameters.filter { isIgnorable($0.value, name: String(decoding: $0.key, as: UTF8.self)) }
        guard !found.isEmpty else { return nil }
        let names = found.keys.map { String(decoding: $0, as: UTF8.self) }.sorted()
        let pairs = found.values.reduce(0) { $0 + $1.pairs }
        let equal = found.values.reduce(0) { $0 + $1.equalPairs }
        let paths = Set(Set(found.values.flatMap(\.nodes)).map { directory(path($0)) }).sorted()
        let place = paths.count == 1 ? paths[0] : "/"
        let list = names.joined(separator: ", ")
        var advice = Advice(
            .ignoredParameters,
            path: place,
            names.count == 1 ? "Ignore the parameter \(list) of queries below \(place)." : "Ignore the parameters \(list) of queries below \(place).",
            evidence: "\(pairs) objects differed from others in nothing else, and \(equal) of them had the same size.",
            names.allSatisfy(known.contains) ? .certain : .likely,
            settings: [.init(path: place, name: "ignore-query", value: "[\(names.map(quoted).joined(separator: ", "))]")]
        )
        advice.ignoredParameters = names
        return (advice, names, paths)
    }

    /// The path up to its last slash.
    private static func directory(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
    }

    private static func isIgnorable(_ parameter: QuerySplits.Parameter, name: String) -> Bool {
        guard parameter.pairs >= 30 else { return false }
        if known.contains(name) { return parameter.equalPairs * 100 >= parameter.pairs * 90 }
        // Where all objects have the same size, the size says nothing.
        return parameter.equalPairs * 100 >= parameter.pairs * 99 && parameter.others >= 30 && parameter.equalOthers * 2 <= parameter.others
    }

    /// A name as YAML has it, if it would mean something else otherwise.
    private static func quoted(_ name: String) -> String {
        name.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") } && name.contains(where: \.isLetter) ? name : "\"\(name)\""
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool { (0x30...0x39).contains(self) || (0x41...0x5a).contains(self) || (0x61...0x7a).contains(self) }
}
