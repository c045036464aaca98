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

    static func isKnown(_ name: [UInt8]) -> Bool { known.contains(String(decoding: name, as: UTF8.self)) }

    /// One for each place, with all parameters that the profile speaks for.
    static func proposals(_ profile: SiteProfile) -> [SplitQueries] {
        advice(profile.queries, path: profile.tree.path).map { advice, paths in
            var after = TraceRules()
            after.ignoredParameters = advice.ignoredParameters
            return SplitQueries(proposal: Proposal(advice: advice, rules: (TraceRules(), after)), paths: paths)
        }
    }

    /// The advice for each place, and the paths where the parameters were seen.
    static func advice(_ queries: QuerySplits, path: (Int) -> String) -> [(advice: Advice, paths: [String])] {
        var found: [String: [Finding]] = [:]
        for (name, parameter) in queries.parameters {
            guard let finding = Finding(name, parameter, path: path) else { continue }
            found[finding.place, default: []].append(finding)
        }
        return found.sorted { $0.key < $1.key }.map { place, findings in
            // The route of a path has the setting alone, and so also those of the paths above.
            let names = found.filter { place.hasPrefix($0.key) }.flatMap { $0.value.map(\.name) }.sorted()
            return (advice(findings, place: place, settingNames: names), Set(findings.flatMap(\.directories)).sorted())
        }
    }

    private static func advice(_ findings: [Finding], place: String, settingNames: [String]) -> Advice {
        let names = findings.map(\.name).sorted()
        let pairs = findings.reduce(0) { $0 + $1.parameter.pairs }
        let equal = findings.reduce(0) { $0 + $1.parameter.equalPairs }
        let list = names.joined(separator: ", ")
        var advice = Advice(
            .ignoredParameters,
            path: place,
            names.count == 1 ? "Ignore the parameter \(list) of queries below \(place)." : "Ignore the parameters \(list) of queries below \(place).",
            evidence: "\(pairs) objects differed from others in nothing else, and \(equal) of them had the same size.",
            names.allSatisfy(known.contains) ? .certain : .likely,
            settings: [.init(path: place, name: "ignore-query", value: "[\(settingNames.map(quoted).joined(separator: ", "))]")]
        )
        advice.ignoredParameters = names
        return advice
    }

    /// A parameter that can be ignored, and where.
    private struct Finding {
        let name: String
        let parameter: QuerySplits.Parameter
        /// The paths with pairs, up to their last slashes.
        let directories: Set<String>
        /// The beginning that these have in common.
        let place: String

        /// - Returns: `nil` if the figures do not show that the parameter changes no answer. Clients choose names and values, so that each path where
        ///   the parameter was seen is looked at: many pairs of one path say nothing about another.
        init?(_ name: [UInt8], _ parameter: QuerySplits.Parameter, path: (Int) -> String) {
            self.name = String(decoding: name, as: UTF8.self)
            self.parameter = parameter
            var seen: [String: QuerySplits.Place] = [:]
            for (node, place) in parameter.places { seen[SplitQueries.directory(path(node)), default: QuerySplits.Place()] += place }
            directories = Set(seen.filter { $0.value.pairs > 0 }.keys)
            place = SplitQueries.commonDirectory(directories)
            guard parameter.pairs >= 30 else { return nil }
            if SplitQueries.known.contains(self.name) {
                guard parameter.equalPairs * 100 >= parameter.pairs * 90 else { return nil }
                return
            }
            guard SplitQueries.isPlain(name), parameter.equalPairs * 100 >= parameter.pairs * 99 else { return nil }
            // Where all objects have the same size, the size says nothing.
            guard parameter.others >= 30, parameter.equalOthers * 2 <= parameter.others else { return nil }
            let matters = parameter.places.values.contains { $0.pairs - $0.equalPairs >= 3 && !$0.isEvidence }
            guard !matters, seen.allSatisfy({ $0.value.isEvidence || $0.value.pairs == 0 && !$0.key.hasPrefix(place) }) else { return nil }
        }
    }

    /// Whether a name has only characters that mean nothing else in a setting: `*` alone would ignore the whole query.
    private static func isPlain(_ name: [UInt8]) -> Bool {
        !name.isEmpty && name.allSatisfy { $0.isLetterOrDigit || "_-.~%[]".utf8.contains($0) }
    }

    /// The path up to its last slash.
    private static func directory(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
    }

    /// The longest path that all of these are below, or are themselves.
    private static func commonDirectory(_ directories: Set<String>) -> String {
        guard var common = directories.first else { return "/" }
        for other in directories {
            while !other.hasPrefix(common), common != "/" { common = directory(String(common.dropLast())) }
        }
        return common
    }

    /// A name as YAML has it, if it would mean something else otherwise.
    private static func quoted(_ name: String) -> String {
        name.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") } && name.contains(where: \.isLetter) ? name : "\"\(name)\""
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool { (0x30...0x39).contains(self) || (0x41...0x5a).contains(self) || (0x61...0x7a).contains(self) }
}
