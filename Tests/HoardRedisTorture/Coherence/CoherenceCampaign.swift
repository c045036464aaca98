// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardProcessTestSupport
@_spi(Client) import HoardRedis
import HoardRedisTestSupport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Leads the processes of a campaign, breaks the things on which they rely, and gathers their notes.
final class CoherenceCampaign {
    struct Plan {
        var processes: Int
        var seconds: Double
        var seed: UInt64
        /// The time between faults; `nil`: nothing is broken.
        var faultInterval: ClosedRange<Int>?
        /// Whether the stores listen to changes at all. Without, the campaign has to find violations.
        var isTracked = true
    }

    private struct Member {
        var worker: Worker
        var start: Int
        var proxy: FaultProxy
        var logPaths: [String]
        var pauses: [(start: Int, end: Int)] = []
    }

    private let plan: Plan
    private let directory: String
    private let server: RedisServer
    private var members: [Member] = []
    private var choices: SeededChoices
    private let end: Int
    private(set) var faultCounts: [Fault: Int] = [:]
    private var disturbances: [CoherenceChecker.Disturbance] = []
    private(set) var failures: [String] = []

    init(_ plan: Plan, directory: String) async throws {
        self.plan = plan
        self.directory = directory
        server = try await RedisServer.start()
        choices = SeededChoices(seed: plan.seed)
        end = MonotonicTime.now + Int(plan.seconds * 1e9)
        for number in 0..<plan.processes {
            let proxy = try await FaultProxy.start(to: server.address)
            let path = logPath(number, 0)
            members.append(Member(worker: try start(number, 0, proxy, path), start: 0, proxy: proxy, logPaths: [path]))
        }
    }

    /// Runs to the end, and judges.
    ///
    /// - Parameter report: Called with the number of seconds that are left.
    func run(windows: CoherenceChecker.Windows, _ report: (Int) -> Void) async throws -> CoherenceChecker.Verdict {
        // Connections are being made.
        disturbances.append(.init(worker: nil, start: 0, end: MonotonicTime.now + MonotonicTime.milliseconds(500)))
        while let interval = plan.faultInterval {
            try await sleep(milliseconds: Int.random(in: interval, using: &choices))
            // The last fault must be over for a while, so that missed removals are made good.
            guard end - MonotonicTime.now > MonotonicTime.milliseconds(6_000), let fault = Fault.allCases.randomElement(using: &choices) else {
                break
            }
            faultCounts[fault, default: 0] += 1
            try await apply(fault, duration: fault.duration(&choices))
            report((end - MonotonicTime.now) / 1_000_000_000)
        }
        while MonotonicTime.now < end {
            try await sleep(milliseconds: 50)
            report((end - MonotonicTime.now) / 1_000_000_000)
        }
        return try await finish(windows)
    }

    private func logPath(_ number: Int, _ start: Int) -> String { "\(directory)/worker-\(number)-\(start).log" }

    private func start(_ number: Int, _ start: Int, _ proxy: FaultProxy, _ path: String) throws -> Worker {
        guard case .tcp(_, let port) = proxy.address.base else { throw SystemFailure("the proxy has no port") }
        return try Worker(
            [
                "coherence-worker", "--port", "\(port)", "--numbers", "\(directory)/numbers", "--log", path, "--seed", "\(plan.seed)",
                "--worker", "\(number)", "--processes", "\(plan.processes)", "--start", "\(start)", "--end", "\(end)",
            ] + (plan.isTracked ? [] : ["--untracked"])
        )
    }

    private func apply(_ fault: Fault, duration: Int) async throws {
        let index = choices.number(below: members.count)
        let proxy = members[index].proxy
        let begin = MonotonicTime.now
        switch fault {
        case .killWorker:
            members[index].worker.process.signal(SIGKILL)
            members[index].worker.process.wait()
            let start = members[index].start + 1
            let path = logPath(index, start)
            members[index].start = start
            members[index].logPaths.append(path)
            members[index].worker = try self.start(index, start, proxy, path)
            disturbances.append(.init(worker: index, start: begin, end: MonotonicTime.now + MonotonicTime.milliseconds(500)))
        case .pauseWorker:
            members[index].worker.process.signal(SIGSTOP)
            try await sleep(milliseconds: duration)
            members[index].worker.process.signal(SIGCONT)
            members[index].pauses.append((begin, MonotonicTime.now))
            // The heartbeat may find that too much time has passed.
            disturbances.append(.init(worker: index, start: begin, end: MonotonicTime.now))
        case .restartServer:
            server.kill()
            try await sleep(milliseconds: duration)
            try await server.restart()
        case .pauseServer, .pauseServerBriefly:
            server.pause()
            try await sleep(milliseconds: duration)
            server.resume()
        case .killClients:
            try server.command("CLIENT", "KILL", "TYPE", "normal")
        case .cut:
            proxy.cut()
        case .stall:
            proxy.stall()
            try await sleep(milliseconds: duration)
            proxy.cut()
            proxy.flow()
        case .stallReplies:
            proxy.stallReplies()
            try await sleep(milliseconds: duration)
            proxy.flow()
        case .refuse:
            proxy.refuse()
            try await sleep(milliseconds: duration)
            proxy.accept()
        }
        if fault.disturbs { disturbances.append(.init(worker: fault.concernsAll ? nil : index, start: begin, end: MonotonicTime.now)) }
    }

    private func finish(_ windows: CoherenceChecker.Windows) async throws -> CoherenceChecker.Verdict {
        var logs: [CoherenceChecker.Log] = []
        for (number, member) in members.enumerated() {
            // It ends by itself; one that does not is a failure.
            var isLate = true
            for _ in 0..<600 where isLate {
                isLate = member.worker.process.isRunning
                if isLate { try await sleep(milliseconds: 50) }
            }
            if isLate {
                failures.append("worker \(number) did not end")
                member.worker.process.signal(SIGKILL)
            }
            let ending = member.worker.process.wait()
            if !isLate && ending != .exited(0) { failures.append("worker \(number) \(ending)") }
            await member.proxy.stop()
            for path in member.logPaths {
                let events = (try? CampaignLog.events(in: path)) ?? []
                logs.append(.init(worker: number, events: events, pauses: member.pauses))
            }
        }
        server.stop()
        return CoherenceChecker(windows: windows, disturbances: disturbances).judge(logs)
    }

    private func sleep(milliseconds: Int) async throws {
        try await Task.sleep(for: .milliseconds(milliseconds))
    }
}
