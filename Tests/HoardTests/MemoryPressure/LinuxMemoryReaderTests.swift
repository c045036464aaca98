// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTestSupport
import Testing

@Suite struct LinuxMemoryReaderTests {
    private let root: TemporaryDirectory

    init() throws { root = try TemporaryDirectory() }

    private var reader: LinuxMemoryReader {
        LinuxMemoryReader(procRoot: root.path(of: "proc"), cgroupRoot: root.path(of: "cgroup"))
    }

    private func stall(some: String, full: String) -> String {
        "some avg10=\(some) avg60=0.00 avg300=0.00 total=7\nfull avg10=\(full) avg60=0.00 avg300=0.00 total=5\n"
    }

    private func writeGroup(_ name: String, current: String? = nil, inactive: String? = nil, high: String? = nil, max: String? = nil) throws {
        let directory = name.isEmpty ? "cgroup" : "cgroup/\(name)"
        if let current { try root.write(current, to: "\(directory)/memory.current") }
        if let inactive { try root.write("anon 1\ninactive_file \(inactive)\n", to: "\(directory)/memory.stat") }
        if let high { try root.write(high, to: "\(directory)/memory.high") }
        if let max { try root.write(max, to: "\(directory)/memory.max") }
    }

    @Test func allFilesOfAProcessInAGroupAreRead() throws {
        try root.write(stall(some: "1.00", full: "0.50"), to: "proc/pressure/memory")
        try root.write("0::/app\n", to: "proc/self/cgroup")
        try root.write(stall(some: "2.00", full: "1.50"), to: "cgroup/app/memory.pressure")
        try writeGroup("app", current: "900\n", inactive: "100", high: "2000\n", max: "1000\n")
        #expect(
            reader.readings()
                == MemoryReadings(
                    systemStall: .init(some: 0.01, full: 0.005),
                    groupStall: .init(some: 0.02, full: 0.015),
                    usages: [.init(workingSetBytes: 800, limitBytes: 1000)]
                )
        )
    }

    @Test func nothingIsFoundWhereThereIsNothing() {
        #expect(reader.readings().isEmpty)
    }

    @Test func machineWithoutGroupsHasItsOwnStallsOnly() throws {
        try root.write(stall(some: "1.00", full: "0.50"), to: "proc/pressure/memory")
        try root.write("9:memory:/docker/1\n1:cpu:/\n", to: "proc/self/cgroup")
        #expect(reader.readings() == MemoryReadings(systemStall: .init(some: 0.01, full: 0.005)))
    }

    private static let limits: [(String?, String?, UInt64?)] = [
        ("500\n", "1000\n", 500), ("1000\n", "500\n", 500), ("max\n", "500\n", 500), ("500\n", "max\n", 500), ("max\n", "max\n", nil),
        ("junk\n", "500\n", 500), ("500\n", "-1\n", 500), (nil, "500\n", 500), ("500\n", nil, 500), (nil, nil, nil), ("0\n", "500\n", 0),
    ]

    @Test(arguments: limits)
    func lowerOfTheTwoLimitsHolds(high: String?, max: String?, expected: UInt64?) throws {
        try root.write("0::/app\n", to: "proc/self/cgroup")
        try writeGroup("app", current: "100\n", inactive: "0", high: high, max: max)
        #expect(reader.readings().usages.map(\.limitBytes) == [expected].compactMap { $0 })
    }

    private static let incompleteUsages: [(String?, String?)] = [
        (nil, "1"), ("1\n", nil), ("", "1"), ("max\n", "1"), ("1\n", "x"), ("-1\n", "1"),
    ]

    @Test(arguments: incompleteUsages)
    func usageThatIsNotWhollyKnownIsNone(current: String?, inactive: String?) throws {
        try root.write("0::/app\n", to: "proc/self/cgroup")
        try writeGroup("app", current: current, inactive: inactive, max: "1000\n")
        #expect(reader.readings().usages.isEmpty)
    }

    @Test func limitsOfTheGroupsAroundCountToo() throws {
        try root.write("0::/pod/container/init\n", to: "proc/self/cgroup")
        try writeGroup("pod", current: "950\n", inactive: "0", max: "1000\n")
        try writeGroup("pod/container", current: "40\n", inactive: "0", max: "max\n")
        try writeGroup("pod/container/init", current: "30\n", inactive: "0", high: "60\n")
        #expect(
            reader.readings().usages == [.init(workingSetBytes: 30, limitBytes: 60), .init(workingSetBytes: 950, limitBytes: 1000)]
        )
    }

    @Test func containerThatIsToldTheMachinesPathFindsItsOwnGroupAtTheRoot() throws {
        try root.write("0::/docker/0123abcd\n", to: "proc/self/cgroup")
        try root.write(stall(some: "3.00", full: "0.00"), to: "cgroup/memory.pressure")
        try writeGroup("", current: "90\n", inactive: "10", max: "100\n")
        #expect(
            reader.readings() == MemoryReadings(groupStall: .init(some: 0.03, full: 0), usages: [.init(workingSetBytes: 80, limitBytes: 100)])
        )
    }

    @Test func innermostGroupsStallsAreTheProcesssOwn() throws {
        try root.write("0::/a/b\n", to: "proc/self/cgroup")
        try root.write(stall(some: "1.00", full: "1.00"), to: "cgroup/a/b/memory.pressure")
        try root.write(stall(some: "9.00", full: "9.00"), to: "cgroup/a/memory.pressure")
        #expect(reader.readings().groupStall == .init(some: 0.01, full: 0.01))
        try root.write("garbage", to: "cgroup/a/b/memory.pressure")
        #expect(reader.readings().groupStall == .init(some: 0.09, full: 0.09))
    }

    @Test func pathThatLeavesTheHierarchyIsNotFollowed() throws {
        try root.write("0::/../proc\n", to: "proc/self/cgroup")
        try writeGroup("", current: "90\n", inactive: "10", max: "100\n")
        #expect(reader.readings().isEmpty)
    }

    @Test func hierarchyBeyondReasonIsNotSearched() throws {
        try writeGroup("", current: "90\n", inactive: "10", max: "100\n")
        try root.write("0::/" + Array(repeating: "a", count: 64).joined(separator: "/"), to: "proc/self/cgroup")
        #expect(reader.readings().usages.count == 1)
        try root.write("0::/" + Array(repeating: "a", count: 65).joined(separator: "/"), to: "proc/self/cgroup")
        #expect(reader.readings().isEmpty)
    }

    @Test func fileThatIsTooLongIsNotRead() throws {
        let line = stall(some: "1.00", full: "0.50")
        try root.write(line + String(repeating: "\n", count: (1 << 16) - line.utf8.count), to: "proc/pressure/memory")
        #expect(!reader.readings().isEmpty)
        try root.write(line + String(repeating: "\n", count: (1 << 16) - line.utf8.count + 1), to: "proc/pressure/memory")
        #expect(reader.readings().isEmpty)
    }

    @Test func directoriesInThePlaceOfFilesAreNoReadings() throws {
        try root.write("0::/app\n", to: "proc/self/cgroup")
        try root.makeDirectory("proc/pressure/memory")
        for name in ["memory.pressure", "memory.current", "memory.max", "memory.high", "memory.stat"] { try root.makeDirectory("cgroup/app/\(name)") }
        #expect(reader.readings().isEmpty)
    }

    @Test func realFilesOfThisMachineAreReadWithoutHarm() {
        let readings = LinuxMemoryReader(procRoot: "/proc", cgroupRoot: "/sys/fs/cgroup").readings()
        for stall in [readings.systemStall, readings.groupStall].compactMap({ $0 }) {
            #expect([stall.some, stall.full].compactMap { $0 }.allSatisfy { (0...1).contains($0) })
        }
        #expect(readings.usages.allSatisfy { $0.share >= 0 })
    }
}
