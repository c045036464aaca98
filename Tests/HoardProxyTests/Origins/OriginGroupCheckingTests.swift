// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIOTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import HoardProxy

/// Active checks, with time that the tests move.
@Suite(.timeLimit(.minutes(1)))
struct OriginGroupCheckingTests {
    /// A server that answers checks with the status that a test sets; counts the checks.
    private final class Patient: Transport {
        let checks = Counter()
        private let status = Mutex<Int?>(200)
        private let hangs = Mutex(false)
        private let paths = Mutex<[String]>([])

        var lastPath: String? { paths.withLock { $0.last } }

        /// - Parameter status: `nil` for none.
        func become(status: Int?, hangs: Bool = false) {
            self.status.withLock { $0 = status }
            self.hangs.withLock { $0 = hangs }
        }

        func send(
            _ request: HTTPRequest,
            body: HTTPBody,
            onInterimResponse: InterimResponseHandler?
        ) async throws(TransportError) -> TransportResponse {
            paths.withLock { $0.append(request.path ?? "") }
            checks.add()
            if hangs.withLock({ $0 }) {
                await waitForCancellation()
                throw TransportError(.cancelled, "")
            }
            guard let status = status.withLock({ $0 }) else { throw .refused }
            return .text("", status: .init(code: status))
        }
    }

    private static let settings = {
        var check = CachingProxy.Configuration.Upstream.HealthCheck()
        check.path = "/health"
        return check
    }()

    private static func group(_ server: FakeServer, _ patient: Patient, _ ticker: ManualTicker) throws -> OriginGroup {
        try OriginGroup.of([server], checkedBy: [patient], ticker: ticker) { upstream in
            upstream.servers = [try Origin("http://0.test/app")]
            upstream.healthCheck = settings
        }
    }

    @Test func serverIsCheckedAgainAndAgainUntilTheGroupRetires() async throws {
        let (ticker, patient) = (ManualTicker(), Patient())
        let group = try Self.group(FakeServer(), patient, ticker)
        group.start()
        await patient.checks.wait(for: 1)
        #expect(patient.lastPath == "/app/health")
        while patient.checks.value < 4 {
            await ticker.sleepers(1)
            ticker.advance(by: .seconds(1))
        }
        #expect(ticker.nanoseconds() >= 27_000_000_000)
        // The timer of the fourth check's own limit may be the one that sleeps still: the group waits for the next check.
        try await waitUntil { (ticker.nextDeadline ?? 0) - ticker.nanoseconds() > 5_000_000_000 }
        group.retire()
        #expect(ticker.sleeperCount == 0)
        // Requests are served still.
        #expect(try await group.send(.to()).text() == "ok")
    }

    @Test func checksEndWithTheGroup() async throws {
        let (ticker, patient) = (ManualTicker(), Patient())
        do {
            let group = try Self.group(FakeServer(), patient, ticker)
            group.start()
            await patient.checks.wait(for: 1)
            await ticker.sleepers(1)
        }
        // A check under way holds the group for as long as it takes.
        while ticker.sleeperCount > 0 { ticker.advance(by: .seconds(1)) }
        #expect(patient.checks.value <= 2)
    }

    @Test(arguments: [(200, .healthy), (204, .healthy), (399, .healthy)] as [(Int, OriginState.State)])
    func goodStatusIsASignOfHealth(_ status: Int, _ state: OriginState.State) async throws {
        let patient = Patient()
        patient.become(status: status)
        let group = try Self.group(FakeServer(), patient, ManualTicker())
        await group.check(0, Self.settings)
        #expect(group.states().map(\.state) == [state])
    }

    @Test(arguments: [404, 503])
    func serverWithABadStatusGetsRequestsOnlyIfThereIsNoBetterOne(_ status: Int) async throws {
        let (ticker, patients, servers) = (ManualTicker(), [Patient(), Patient()], [FakeServer(), FakeServer()])
        let group = try OriginGroup.of(servers, checkedBy: patients, ticker: ticker) { $0.healthCheck = Self.settings }
        patients[0].become(status: status)
        for _ in 0..<3 { await group.check(0, Self.settings) }
        #expect(group.states().map(\.state) == [.unhealthy, .unknown])
        for _ in 0..<4 { _ = try await group.send(.to()) }
        #expect(servers.map(\.requests.count) == [0, 4])
        patients[1].become(status: status)
        for _ in 0..<3 { await group.check(1, Self.settings) }
        for _ in 0..<4 { _ = try await group.send(.to()) }
        #expect(servers.map(\.requests.count) == [2, 6])
    }

    @Test func serverThatChecksFindDeadIsNotAskedByRequestsAndThenIsAgain() async throws {
        let (ticker, patient, server) = (ManualTicker(), Patient(), FakeServer())
        let group = try Self.group(server, patient, ticker)
        patient.become(status: nil)
        for _ in 0..<3 { await group.check(0, Self.settings) }
        let error = await #expect(throws: TransportError.self) { try await group.send(.to()) }
        #expect(error?.code == .cannotConnect)
        #expect(server.requests.isEmpty)
        patient.become(status: 200)
        await group.check(0, Self.settings)
        #expect(group.states().map(\.state) == [.unhealthy])
        await group.check(0, Self.settings)
        #expect(group.states().map(\.state) == [.healthy])
        #expect(try await group.send(.to()).text() == "ok")
    }

    @Test func checkThatTakesTooLongHasFailed() async throws {
        let (ticker, patient) = (ManualTicker(), Patient())
        let group = try Self.group(FakeServer(), patient, ticker)
        patient.become(status: 200, hangs: true)
        for _ in 0..<3 {
            async let check: Void = group.check(0, Self.settings)
            await ticker.sleepers(1)
            ticker.advance(by: .seconds(2))
            await check
        }
        #expect(group.states().map(\.state) == [.unhealthy])
    }

    @Test func checkThatIsCancelledSaysNothing() async throws {
        let (ticker, patient) = (ManualTicker(), Patient())
        let group = try Self.group(FakeServer(), patient, ticker)
        patient.become(status: 200, hangs: true)
        for round in 1...3 {
            let check = Task { await group.check(0, Self.settings) }
            await patient.checks.wait(for: round)
            check.cancel()
            await check.value
        }
        #expect(group.states().map(\.state) == [.unknown])
    }

    @Test func upstreamWithoutChecksIsNotChecked() async throws {
        let (ticker, patient) = (ManualTicker(), Patient())
        let group = try OriginGroup.of([FakeServer()], checkedBy: [patient], ticker: ticker)
        group.start()
        #expect(ticker.sleeperCount == 0)
        #expect(patient.checks.value == 0)
    }
}
