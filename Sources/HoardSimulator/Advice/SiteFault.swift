// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A fault that the figures of a path can show.
///
/// Each kind has thresholds of its own, below which nothing is said: so many requests that chance does not look like the fault, and
/// nothing beside it that would look the same.
protocol SiteFault {
    /// `nil` if the figures do not show the fault.
    init?(_ figures: PathFigures, of site: SiteFigures)

    /// The advice, before anything is simulated.
    func proposal(path: String, of site: SiteFigures) -> Proposal
}

/// The figures of a whole site.
struct SiteFigures {
    let total: PathFigures
    /// For how many milliseconds the log goes on.
    let span: UInt64
    let hasOutcomes: Bool
    let hasDurations: Bool
    let hasAgents: Bool
    let hasClients: Bool
}

/// An advice, and the rules that show its gain.
struct Proposal {
    var advice: Advice
    /// The rules under which the access trace is replayed without it and with it; `nil` if a simulation does not show it.
    var rules: (before: TraceRules, after: TraceRules)?
}

extension Advice {
    init(_ kind: Kind, path: String?, _ sentence: String, evidence: String, _ certainty: Certainty, settings: [Setting] = []) {
        self.init(kind: kind, path: path, sentence: sentence, evidence: evidence, certainty: certainty)
        self.settings = settings
    }
}

/// The paths of a site, and where a fault is.
struct SiteFaultFinder {
    let tree: PathTree
    let sums: [PathFigures]
    let site: SiteFigures

    init(_ profile: SiteProfile) {
        tree = profile.treeWithObjects()
        sums = tree.sums()
        site = SiteFigures(
            total: sums[0],
            span: profile.span,
            hasOutcomes: profile.hasOutcomes,
            hasDurations: profile.hasDurations,
            hasAgents: profile.hasAgents,
            hasClients: profile.hasClients
        )
    }

    /// The advice for each place that has a fault: the shortest paths that have it, unless it is one part of them alone.
    func proposals<Fault: SiteFault>(_: Fault.Type) -> [Proposal] { places(of: Fault.self, below: 0) }

    private func places<Fault: SiteFault>(of _: Fault.Type, below node: Int) -> [Proposal] {
        let children = tree.children(of: node)
        guard let fault = Fault(sums[node], of: site) else { return children.flatMap { places(of: Fault.self, below: $0) } }
        for child in children where sums[child].requests >= max(50, sums[node].requests / 20) {
            guard Fault(rest(of: node, without: child), of: site) == nil else { continue }
            let narrower = places(of: Fault.self, below: child)
            if !narrower.isEmpty { return narrower }
        }
        return [fault.proposal(path: tree.path(node), of: site)]
    }

    /// The figures of a node without those of one below it.
    private func rest(of node: Int, without child: Int) -> PathFigures {
        tree.children(of: node).filter { $0 != child }.reduce(into: tree.ownFigures(node)) { $0.add(sums[$1]) }
    }
}
