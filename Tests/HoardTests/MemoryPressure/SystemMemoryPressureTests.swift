// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct SystemMemoryPressureTests {
    private let root: TemporaryDirectory
    private let polling = ManualPolling()

    init() throws { root = try TemporaryDirectory() }

    private func source(_ configuration: SystemMemoryPressure.Configuration = .init()) -> SystemMemoryPressure {
        SystemMemoryPressure(
            configuration: configuration,
            procRoot: root.path(of: "proc"),
            cgroupRoot: root.path(of: "cgroup"),
            sleep: polling.sleep
        )
    }

    private func writeStall(some: String, full: String) throws {
        try root.write(
            "some avg10=\(some) avg60=0.00 avg300=0.00 total=7\nfull avg10=\(full) avg60=0.00 avg300=0.00 total=5\n",
            to: "proc/pressure/memory"
        )
    }

    private func writeUsage(current: Int) throws {
        try root.write("0::/app\n", to: "proc/self/cgroup")
        try root.write("\(current)\n", to: "cgroup/app/memory.current")
        try root.write("inactive_file 100\n", to: "cgroup/app/memory.stat")
        try root.write("1000\n", to: "cgroup/app/memory.max")
    }

    @Test func defaultsAreAsDocumented() {
        let configuration = SystemMemoryPressure.Configuration()
        #expect(configuration.pollingInterval == .seconds(1))
        #expect(configuration.warningStallShare == 0.1)
        #expect(configuration.criticalStallShare == 0.1)
        #expect(configuration.warningUsageShare == 0.9)
        #expect(configuration.criticalUsageShare == 0.97)
    }

    @Test func filesThatChangeBetweenPollsChangeTheLevel() async throws {
        try writeStall(some: "0.00", full: "0.00")
        let source = source()
        #expect(source.isAvailable)
        var levels = source.levels().makeAsyncIterator()
        try await polling.polls(1)
        try writeStall(some: "10.00", full: "9.99")
        polling.step()
        #expect(await levels.next() == .warning)
        try await polling.polls(2)
        try writeStall(some: "60.00", full: "10.00")
        polling.step()
        #expect(await levels.next() == .critical)
        try await polling.polls(3)
        polling.step()
        #expect(await levels.next() == .critical)
        try await polling.polls(4)
        try root.remove("proc/pressure/memory")
        polling.step()
        #expect(await levels.next() == .normal)
        #expect(!source.isAvailable)
    }

    @Test func groupThatFillsItsLimitIsUnderPressure() async throws {
        try writeUsage(current: 999)
        var levels = source().levels().makeAsyncIterator()
        try await polling.polls(1)
        try writeUsage(current: 1000)
        polling.step()
        #expect(await levels.next() == .warning)
        try await polling.polls(2)
        try writeUsage(current: 1070)
        polling.step()
        #expect(await levels.next() == .critical)
        try await polling.polls(3)
        try root.write("max\n", to: "cgroup/app/memory.max")
        polling.step()
        #expect(await levels.next() == .normal)
    }

    @Test func sourceWithoutFilesSaysSoAndStaysNormal() async throws {
        let source = source()
        #expect(!source.isAvailable)
        var levels = source.levels().makeAsyncIterator()
        polling.step()
        try await polling.polls(2)
        polling.end()
        #expect(await levels.next() == nil)
    }

    @Test func filesThatAppearLaterAreRead() async throws {
        let source = source()
        var levels = source.levels().makeAsyncIterator()
        try await polling.polls(1)
        try writeStall(some: "99.00", full: "0.00")
        polling.step()
        #expect(await levels.next() == .warning)
        #expect(source.isAvailable)
    }

    @Test func configurationDecides() async throws {
        try writeStall(some: "5.00", full: "1.00")
        let source = source(.init(pollingInterval: .milliseconds(250), warningStallShare: 0.05))
        var levels = source.levels().makeAsyncIterator()
        #expect(await levels.next() == .warning)
        try await polling.polls(1)
        #expect(polling.pauseLengths == [.milliseconds(250)])
    }

    @Test func eachStreamStandsOnItsOwn() async throws {
        try writeStall(some: "50.00", full: "0.00")
        let source = source()
        for _ in 0..<2 {
            var levels = source.levels().makeAsyncIterator()
            #expect(await levels.next() == .warning)
        }
    }

    @Test(.enabled(if: (try? Data(contentsOf: URL(filePath: "/proc/pressure/memory"))) != nil, "The kernel tells nothing of stalls."))
    func sourceOfThisMachineReadsWhatTheKernelSays() {
        #expect(SystemMemoryPressure().isAvailable)
    }

    @Test func intervalOfNothingIsAnErrorOfTheProgram() async throws {
        await #expect(processExitsWith: .failure) {
            _ = SystemMemoryPressure(configuration: .init(pollingInterval: .zero))
        }
    }
}
