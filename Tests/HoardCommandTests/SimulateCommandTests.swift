// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardSimulator
import Testing

@testable import HoardCommand

@Suite("hoard simulate", .timeLimit(.minutes(5)))
struct SimulateCommandTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try write("1\n2\n3\n1\n2\n3\n", to: "loop.txt")
        try write("# pairs\n10\n10\n20\n20\n", to: "pairs.txt")
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory.path(name)))
    }

    private func run(_ arguments: String...) async throws -> HoardProcess.Result {
        try await HoardProcess(["simulate"] + arguments).result()
    }

    @Test func theTableHasALineForEachTraceAndCapacity() async throws {
        let result = try await run(directory.path("loop.txt"), directory.path("pairs.txt"), "--capacity", "2,3", "--policy", "lru,opt")
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(
            result.text == """
                TRACE                                 CAPACITY  REQUESTS    LRU    OPT
                loop                                         2         6   0.00  33.33
                loop                                         3         6  50.00  50.00
                pairs                                        2         4  50.00  50.00
                pairs                                        3         4  50.00  50.00
                mean hit ratio in %                                       37.50  45.83
                lines more than 0.5 points under LRU                          -      0

                """
        )
    }

    @Test func aSingleLineNeedsNoMean() async throws {
        let result = try await run(directory.path("loop.txt"), "--capacity", "2", "--policy", "fifo")
        #expect(result.text == "TRACE  CAPACITY  REQUESTS  FIFO\nloop          2         6  0.00\n")
    }

    @Test func withJSONEachLineIsAResultWithExactlyTheseFields() async throws {
        let result = try await run(directory.path("loop.txt"), "--capacity", "2,100%", "--policy", "opt,lru", "--json")
        #expect(result.status == 0)
        #expect(
            result.text == """
                {"trace":"loop","capacity":2,"policy":"opt","requests":6,"hits":2,"hitRatio":0.3333333333333333}
                {"trace":"loop","capacity":2,"policy":"lru","requests":6,"hits":0,"hitRatio":0.0}
                {"trace":"loop","capacity":3,"policy":"opt","requests":6,"hits":3,"hitRatio":0.5}
                {"trace":"loop","capacity":3,"policy":"lru","requests":6,"hits":3,"hitRatio":0.5}

                """
        )
    }

    @Test func byDefaultAllPoliciesAndCapacitiesAreReplayed() async throws {
        try write((0..<1000).map { "\($0)\n" }.joined(), to: "scan.txt")
        let result = try await run(directory.path("scan.txt"), "--json")
        let lines = try result.text.split(separator: "\n").map { try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
        let keyPolicies = SimulationPolicy.all.filter { $0.canCount(bytes: false) }
        let expected = [10, 50, 100, 200, 500].flatMap { capacity in keyPolicies.map { "\(capacity) \($0.name)" } }
        #expect(lines.map { "\($0["capacity"] ?? "") \($0["policy"] ?? "")" } == expected)
        #expect(lines.allSatisfy { $0["hits"] as? Int == 0 && $0["requests"] as? Int == 1000 })
    }

    @Test func capacitiesInBytesShowTheBytesThatWereHit() async throws {
        let json = try await run(directory.path("loop.txt"), "--capacity", "2B,100%B", "--policy", "lru", "--json")
        #expect(
            json.text == """
                {"trace":"loop","capacity":2,"unit":"bytes","policy":"lru","requests":6,"hits":0,"hitRatio":0.0,\
                "requestedBytes":6,"hitBytes":0,"byteHitRatio":0.0}
                {"trace":"loop","capacity":3,"unit":"bytes","policy":"lru","requests":6,"hits":3,"hitRatio":0.5,\
                "requestedBytes":6,"hitBytes":3,"byteHitRatio":0.5}

                """
        )
        let table = try await run(directory.path("loop.txt"), "--capacity", "3,1KiB", "--policy", "fifo,lru")
        #expect(
            table.text == """
                TRACE                                 CAPACITY  REQUESTS   FIFO    LRU
                loop                                         3         6  50.00  50.00
                loop                                     1 KiB         6  50.00  50.00
                mean hit ratio in %                                       50.00  50.00
                lines more than 0.5 points under LRU                          0      -

                byte hit ratio in %
                TRACE                     CAPACITY  REQUESTS   FIFO    LRU
                loop                             3         6      -      -
                loop                         1 KiB         6  50.00  50.00
                mean byte hit ratio in %                      50.00  50.00

                """
        )
    }

    @Test func aDiskBelowTheCacheHasHitsOfItsOwn() async throws {
        let result = try await run(directory.path("loop.txt"), "--capacity", "1", "--policy", "lru", "--disk", "3", "--json")
        #expect(
            result.text == """
                {"trace":"loop","capacity":1,"policy":"lru","requests":6,"hits":3,"hitRatio":0.5,"memoryHits":0,"diskHits":3}

                """
        )
        let fault = try await run(directory.path("loop.txt"), "--policy", "lru,arc", "--disk", "3")
        #expect(fault.status == 64)
        #expect(fault.errors.contains("arc cannot be simulated above a disk"), "\(fault.errors)")
    }

    @Test func aFleetTellsHitsOfItsTiersAndLoads() async throws {
        let arguments = [directory.path("loop.txt"), "--capacity", "1", "--policy", "lru", "--nodes", "2", "--shared", "3", "--route", "random"]
        let json = try await HoardProcess(["simulate"] + arguments + ["--json"]).result()
        #expect(
            json.text == """
                {"trace":"loop","capacity":1,"policy":"lru","requests":6,"hits":3,"hitRatio":0.5,"nodes":2,"route":"random",\
                "nearHits":1,"sharedHits":2,"originLoads":3,"keys":3,"loadsPerKey":1.0,"mostLoadsOfAKey":1,\
                "originLoadsWithoutLeases":3,"hasLoadTimes":false,"bytesFromShared":2,"bytesToShared":3}

                """
        )
        #expect(json.errors.contains("it does not say when loads ran"), "\(json.errors)")
        let table = try await HoardProcess(["simulate"] + arguments).result()
        #expect(
            table.text == """
                TRACE  CAPACITY  REQUESTS    LRU
                loop          1         6  50.00

                hit ratio of the near caches in %
                TRACE  CAPACITY  REQUESTS    LRU
                loop          1         6  16.67

                hit ratio of the shared tier in %
                TRACE  CAPACITY  REQUESTS    LRU
                loop          1         6  33.33

                origin loads
                TRACE  CAPACITY  REQUESTS  LRU
                loop          1         6    3

                origin loads without leases
                TRACE  CAPACITY  REQUESTS  LRU
                loop          1         6    3

                origin loads per key
                TRACE  CAPACITY  REQUESTS   LRU
                loop          1         6  1.00

                most origin loads of a key
                TRACE  CAPACITY  REQUESTS  LRU
                loop          1         6    1

                """
        )
    }

    @Test func theTableOfAFleetHasSumsOfAnySize() async throws {
        try write("1 9223372036854775806\n2 9223372036854775806\n", to: "vast.txt")
        let result = try await run(directory.path("vast.txt"), "--capacity", "1MiB", "--policy", "lru", "--nodes", "2", "--shared", "1GiB")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.text.contains("to the shared tier") && result.text.contains("8 EiB"), "\(result.text)")
    }

    @Test func aPlotAndAReportInOneFileAreAUsageError() async throws {
        let path = directory.path("figures")
        let result = try await run(directory.path("loop.txt"), "--plot", path, "--report", path)
        #expect(result.status == 64)
        #expect(result.errors.contains("files of their own"), "\(result.errors)")
    }

    @Test(arguments: [
        (["--shared", "3"], "give --nodes too"), (["--route", "hash"], "give --nodes too"), (["--nodes", "2", "--disk", "3"], "give --shared"),
        (["--nodes", "0"], "--nodes"), (["--nodes", "1001"], "--nodes"), (["--nodes", "2", "--route", "ring"], "random"),
        (["--nodes", "2", "--inclusive"], "give --shared too"), (["--nodes", "2", "--policy", "lru,arc"], "arc cannot be simulated in a fleet"),
    ])
    func optionsOfAFleetThatMakeNoSenseAreUsageErrors(options: [String], sentence: String) async throws {
        let result = try await HoardProcess(["simulate", directory.path("loop.txt")] + options).result()
        #expect(result.status == 64)
        #expect(result.errors.contains(sentence), "\(result.errors)")
    }

    @Test(arguments: [("1KiB", "arc,lru", "arc counts keys, not bytes"), ("10,5%", "hoard-bytes", "hoard-bytes counts bytes, not keys")])
    func aPolicyThatCannotCountTheCapacityIsAUsageError(capacity: String, policy: String, fault: String) async throws {
        let result = try await run(directory.path("loop.txt"), "--capacity=\(capacity)", "--policy=\(policy)")
        #expect(result.status == 64)
        #expect(result.errors.contains(fault), "\(result.errors)")
    }

    @Test func standardInputIsRead() async throws {
        let process = try HoardProcess(
            ["simulate", "-", "--capacity", "1", "--policy", "lru", "--json"],
            through: ["/bin/sh", "-c", #"printf '5\n5\n6' | gzip | "$0" "$@""#]
        )
        let result = await process.result()
        #expect(result.text == #"{"trace":"-","capacity":1,"policy":"lru","requests":3,"hits":1,"hitRatio":0.3333333333333333}"# + "\n")
    }

    @Test func aTraceThatCannotBeReadFailsAndTheOthersAreReplayed() async throws {
        try write("1\n2\noops\n", to: "bad.txt")
        try write("", to: "empty.txt")
        let result = try await run(
            directory.path("missing.txt"),
            directory.path("bad.txt"),
            directory.path("empty.txt"),
            directory.path("loop.txt"),
            "--capacity",
            "3",
            "--policy",
            "lru",
            "--json"
        )
        #expect(result.status == 1)
        #expect(result.text == #"{"trace":"loop","capacity":3,"policy":"lru","requests":6,"hits":3,"hitRatio":0.5}"# + "\n")
        let errors = result.errors.split(separator: "\n")
        #expect(errors.count == 3)
        #expect(errors[0].contains("missing.txt: cannot be read: No such file"))
        #expect(errors[1].contains("bad.txt, line 3: expected a decimal key"))
        #expect(errors[2].contains("empty.txt: holds no requests."))
    }

    @Test func theReportIsAPageAboutEachTrace() async throws {
        let report = directory.path("report.html")
        let traces = (directory.path("loop.txt"), directory.path("pairs.txt"))
        let result = try await run(traces.0, traces.1, "--capacity", "2,3", "--policy", "hoard,lru", "--report", report)
        #expect(result.status == 0)
        let page = try String(contentsOfFile: report, encoding: .utf8)
        #expect(page.hasPrefix("<!DOCTYPE html>"))
        #expect(page.contains("<h2>loop</h2>") && page.contains("<h2>pairs</h2>"))
        #expect(!page.contains("<script"))
        let unwritable = try await run(directory.path("loop.txt"), "--report", directory.path("missing/report.html"))
        #expect(unwritable.status == 1)
        #expect(unwritable.errors.contains("Cannot write"))
    }

    @Test func aFormatThatIsNamedCounts() async throws {
        try write("1 2\n1 2\n", to: "blocks.txt")
        let result = try await run(directory.path("blocks.txt"), "--format", "arc", "--capacity", "2", "--policy", "lru", "--json")
        #expect(result.text.contains(#""requests":4,"hits":2"#))
        let unknown = try await run(directory.path("blocks.txt"), "--format", "csv")
        #expect(unknown.status == 64)
        #expect(unknown.errors.contains("access-log"))
    }

    @Test(arguments: ["0", "-5", "x", "10,", "1.5", "0%", "200%", "0B", "5%C", "1.5MiB", "99999999999999999999"])
    func aBadCapacityIsAUsageError(capacity: String) async throws {
        let result = try await run(directory.path("loop.txt"), "--capacity=\(capacity)")
        #expect(result.status == 64)
        #expect(result.errors.contains("capacity"))
        #expect(result.output.isEmpty)
    }

    @Test(arguments: ["mru", "lru,", "", "lru opt"])
    func anUnknownPolicyIsAUsageErrorThatNamesThePolicies(policy: String) async throws {
        let result = try await run(directory.path("loop.txt"), "--policy=\(policy)")
        #expect(result.status == 64)
        #expect(result.errors.contains(SimulationPolicy.all.map(\.name).joined(separator: ", ")), "\(result.errors)")
    }

    @Test func standardInputCannotBeReadTwice() async throws {
        let result = try await run("-", "-")
        #expect(result.status == 64)
        #expect(result.errors.contains("Standard input"))
    }

    @Test func aPlotIsDrawn() async throws {
        let result = try await run(directory.path("loop.txt"), directory.path("pairs.txt"), "--plot", directory.path("curves.svg"))
        #expect(result.status == 0)
        #expect(result.text.hasPrefix("TRACE"))
        let svg = try String(contentsOfFile: directory.path("curves.svg"), encoding: .utf8)
        #expect(svg.contains(">loop</text>") && svg.contains(">pairs</text>") && svg.hasSuffix("</svg>\n"))
        #expect(try directory.contents() == ["curves.svg", "loop.txt", "pairs.txt"])
    }

    @Test func aPlotThatCannotBeWrittenIsToldBeforeTheWork() async throws {
        try FileManager.default.createSymbolicLink(atPath: directory.path("link.svg"), withDestinationPath: directory.path("loop.txt"))
        for path in [directory.path("missing/curves.svg"), directory.path, directory.path("link.svg")] {
            let result = try await run(directory.path("loop.txt"), "--plot", path)
            #expect(result.status == 1)
            #expect(result.errors.contains("Cannot write \(path): "))
            #expect(result.output.isEmpty)
        }
    }

    @Test func aReaderThatClosesThePipeDoesNotCrashTheCommand() async throws {
        for flag in ["--json", "--policy=lru"] {
            let process = try HoardProcess(
                ["simulate", directory.path("loop.txt"), flag],
                through: ["/bin/sh", "-c", #"{ "$0" "$@"; echo "status $?" >&2; } | true"#]
            )
            let result = await process.result()
            // 0 if the pipe took the output before it was closed.
            #expect(["status 0\n", "status 1\n"].contains(result.errors), "\(result.errors)")
        }
    }

    @Test func linesUnderLRUAreCounted() {
        func results(_ hits: [(SimulationPolicy, Int)], capacity: Int) -> [SimulationResult] {
            hits.map { SimulationResult(trace: "t", capacity: capacity, policy: $0, requests: 1000, hits: $1) }
        }
        let table = SimulationTable(results([(.hoard, 494), (.lru, 500)], capacity: 1) + results([(.hoard, 495), (.lru, 500)], capacity: 2))
        #expect(table.underLRU == [1, 0])
        #expect(table.means == [0.4945, 0.5])
        #expect(SimulationTable(results([(.hoard, 1)], capacity: 1)).underLRU == nil)
    }
}
