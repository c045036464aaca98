// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import HoardSimulator

/// `hoard simulate`.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Replay access traces on cache policies, and compare hit ratios.",
        discussion: """
            An access trace is a recording (hoard proxy --record-trace, CacheTraceRecorder), the access log of a web server, lines of a \
            decimal key that a size may follow, or one of the published formats that --format names; as it is, or compressed with gzip or zstd. \
            Each request is looked up, and inserted on a miss; the hit ratio is over all requests, \
            also those to the empty cache in the beginning.

            With a capacity in keys each key counts 1; with one in bytes each object counts its size, and what is larger than the \
            cache is not kept. A request without a size has the last known size of its key, or else 1 byte. With sizes, the ratio of \
            the bytes that were hit is shown too; with costs, the share of the loading time that was saved. An object with a \
            lifetime is a miss once that is over.

            Policies: hoard is the cache of this package, and hoard-bytes the same made for hits of many bytes; opt is the best that is \
            possible when the future is known (Belady's bound), for which in bytes pfoo-l stands, a bound that no cache quite reaches; the \
            others are published ones. A policy that cannot count bytes, or keys, is left out where it would have to. With fixed \
            capacities and without opt, access traces are streamed; otherwise they are held in memory.

            Rules replay an access log as if the cache had had them: what --ignore-query utm_* brings is the difference between a run with \
            it and one without. hoard advise says which are worth it.

            With --nodes, several caches serve the requests, over one tier that they share if --shared says so. A write or removal is \
            taken to reach all nodes at once. Shown are the hits of the near caches and of the shared tier, and what the origin has to load: in \
            all, for each key, and without leases, when nodes load at the same time what none of them has. How long loads run the trace's times \
            and costs say. In one node, requests for what is being loaded join the load.

            Example:
              hoard simulate trace.gz --capacity 500,5% --policy hoard,opt --plot out.svg
              hoard simulate trace.gz --capacity 64MiB,1GiB,5%B --policy hoard,hoard-bytes,lru
              hoard simulate proxy.trace --capacity 64MiB --policy hoard --nodes 4 --shared 1GiB --inclusive

            Exits with 1 if an access trace could not be read; the others are replayed all the same.
            """
    )

    @Argument(help: ArgumentHelp("One or more files; - is standard input.", valueName: "trace"))
    var traces: [String]

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            How much the cache may hold, separated by commas: numbers of keys, or shares of the different keys such as 10%; \
            bytes such as 64MiB, or shares of the bytes of all different keys such as 10%B. \
            (default: 0.1, 1, 5, 10, 20 and 50%, at least 10 keys)
            """,
            valueName: "n,…"
        )
    )
    var capacity: CapacityList?

    @Option(name: .long, help: ArgumentHelp("Policies, separated by commas, of \(PolicyList.names).", valueName: "name,…"))
    var policy = PolicyList()

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The format of the access traces, if it shall not be found out. Numbers are text, unless a file is named .arc, .lis, .lirs or .trc.",
            valueName: "name"
        )
    )
    var format: TraceFormat?

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            Put an LRU disk level of this capacity below each cache, a number or share of keys or bytes as above. A miss in memory looks there; \
            a hit there is brought into memory, and a load is written to both. Only for hoard, hoard-bytes and lru.
            """,
            valueName: "n"
        )
    )
    var disk: TraceCapacity?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Spread the requests over so many nodes, each with a cache of the capacity. Only for hoard, hoard-bytes and lru.",
            valueName: "n"
        )
    )
    var nodes: NodeCount?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Put an LRU tier of this capacity, a number or share of keys or bytes as above, below all nodes. It is used as --disk is.",
            valueName: "n"
        )
    )
    var shared: TraceCapacity?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The node that gets a request: the one for its key (hash), or any (random, the same in every run). (default: hash)",
            valueName: "name"
        )
    )
    var route: NodeRoute?

    @Flag(name: .long, help: "Have the nodes drop what the shared tier evicts, as they do with a Redis, which tells them of it.")
    var inclusive = false

    @OptionGroup(title: "Rules")
    var ruleOptions: RuleOptions

    @Flag(name: .long, help: "Print each result as a line of JSON.")
    var json = false

    @Option(name: .long, help: ArgumentHelp("Draw the miss-ratio curves into this SVG file.", valueName: "file"))
    var plot: String?

    @Option(name: .long, help: ArgumentHelp("Write a page about the access traces, with figures, into this HTML file.", valueName: "file"))
    var report: String?

    private var capacities: [SimulationCapacity] { capacity?.capacities ?? SimulationCapacity.defaults }

    private var simulation: Simulation {
        guard let nodes else {
            let window = ruleOptions.rules.staleWhileRevalidate
            return Simulation(policies: policy.policies, capacities: capacities, disk: disk?.capacity, staleWhileRevalidate: window)
        }
        let fleet = Fleet(nodes: nodes.count, shared: shared?.capacity, route: route?.route ?? .hash, isInclusive: inclusive)
        return Simulation(policies: policy.policies, capacities: capacities, fleet: fleet)
    }

    func validate() throws {
        if let plot, plot == report { throw ValidationError("--plot and --report need files of their own.") }
        if traces.count(where: { $0 == "-" }) > 1 { throw ValidationError("Standard input (-) can be read once only.") }
        if nodes == nil, shared != nil || route != nil { throw ValidationError("--shared and --route are for several nodes: give --nodes too.") }
        if inclusive, shared == nil { throw ValidationError("--inclusive is for a shared tier: give --shared too.") }
        if nodes != nil, disk != nil { throw ValidationError("--disk is for a single cache: give --shared, or leave --nodes out.") }
        if let fault = policy.fault(with: capacities, of: disk != nil ? "disk" : nodes != nil ? "nodes" : nil) { throw ValidationError(fault) }
        if disk != nil || nodes != nil, ruleOptions.staleWhileRevalidate != nil {
            throw ValidationError("--stale-while-revalidate is not simulated with --disk or --nodes.")
        }
    }

    func run() async throws {
        StandardOutput.outliveReader()
        do {
            for path in [plot, report].compactMap(\.self) { try Self.checkWritable(path) }
            let (results, sections, isComplete) = try await simulate()
            if !json, !results.isEmpty { try write(SimulationTable(results.flatMap(\.self)).lines) }
            if let plot, !results.isEmpty { try Self.write(MissRatioPlot(results).svg, to: plot) }
            if let report, !results.isEmpty { try Self.write(TraceReport(sections).html, to: report) }
            if !isComplete { throw ExitCode.failure }
        } catch let error as OutputError {
            if !error.isBrokenPipe { Terminal.say("hoard: \(error)") }
            throw ExitCode.failure
        }
    }

    /// The results of each access trace, its section of a report, and whether all could be read.
    private func simulate() async throws -> (results: [[SimulationResult]], sections: [TraceReport.Section], isComplete: Bool) {
        let rules = ruleOptions.rules
        let simulation = simulation
        var progress = ProgressBar(total: Self.byteCount(of: traces))
        defer { progress.finish() }
        var all: [[SimulationResult]] = []
        var sections: [TraceReport.Section] = []
        for path in traces {
            do {
                let reader = try AccessTraceReader(path: path, format: format?.format, rules: rules)
                let collector = report.map { _ in ReportCollector(name: reader.name) }
                let results = try await simulation.results(of: reader, collector: collector) { bytes in progress.advance(by: bytes) }
                if json { try write(results.map { try $0.json }) }
                all.append(results)
                if let collector { sections.append(collector.section(results: results)) }
                for note in Self.notes(on: reader) + Self.notes(on: results) {
                    progress.finish()
                    Terminal.say("hoard: \(printable(path)): \(note)")
                }
            } catch let error as AccessTraceError {
                progress.finish()
                Terminal.say("hoard: \(printable(error.message))")
            }
        }
        return (all, sections, all.count == traces.count)
    }

    /// Sentences on the gaps of an access trace.
    private static func notes(on reader: AccessTraceReader) -> [String] {
        var notes: [String] = []
        if reader.skippedCount > 0 { notes.append("skipped \(reader.skippedCount) lines that are no requests to simulate.") }
        if reader.lostCount > 0 { notes.append("the recorder lost \(reader.lostCount) accesses.") }
        if reader.sampledShare < 1 {
            let percent = String(format: "%.2f %%", reader.sampledShare * 100)
            notes.append("it has \(percent) of the keys, so give \(percent) of the capacity that is meant.")
        }
        return notes
    }

    /// Sentences on figures of a fleet that an access trace does not give.
    private static func notes(on results: [SimulationResult]) -> [String] {
        guard let fleet = results.first?.fleet, fleet.sharedHits != nil, !fleet.hasLoadTimes else { return [] }
        return ["it does not say when loads ran (times and costs), so that there are as many with leases as without."]
    }

    /// The bytes of all files; `nil` if one of them is a pipe or is not there.
    private static func byteCount(of paths: [String]) -> Int? {
        paths.reduce(0) { sum, path in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            guard let sum, attributes?[.type] as? FileAttributeType == .typeRegular, let size = attributes?[.size] as? Int else { return nil }
            return sum + size
        }
    }

    private func write(_ lines: [String]) throws(OutputError) {
        let text = lines.map { $0 + "\n" }.joined()
        let bytes = Array(text.utf8)
        let result = bytes.withUnsafeBytes { bytes in Result { () throws(OutputError) in try StandardOutput.write(bytes) } }
        try result.get()
    }

    /// Finds out, before minutes of work, that a file cannot be written.
    private static func checkWritable(_ path: String) throws(OutputError) {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        // A finished file takes the place of the one that had its name; a device or a link must not lose it.
        let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        if let type, type != .typeRegular {
            throw OutputError(description: "Cannot write \(path): It is there already, and is not a regular file.", isBrokenPipe: false)
        }
        if access(directory, W_OK) != 0 {
            throw OutputError(description: "Cannot write \(path): \(String(cString: strerror(errno))).", isBrokenPipe: false)
        }
    }

    private static func write(_ text: String, to path: String) throws(OutputError) {
        let file = try FileOutput(path: path)
        do throws(OutputError) {
            let bytes = Array(text.utf8)
            let result = bytes.withUnsafeBytes { bytes in Result { () throws(OutputError) in try file.write(bytes) } }
            try result.get()
        } catch {
            file.discard()
            throw error
        }
        try file.finish()
    }
}
