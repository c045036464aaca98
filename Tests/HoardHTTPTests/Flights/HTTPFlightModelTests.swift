// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

private let campaign = ProgramCampaign(defaultCount: 500)

/// No client gets the response of another client, or less than all of its own. No request after a removal gets a
/// response from before the removal. And no request fails because of another client's request.
@Suite(.timeLimit(.minutes(campaign.isLong ? 240 : 10))) struct HTTPFlightModelTests {
    @Test(arguments: 0..<campaign.blockCount)
    func whatWasRemovedIsNeverSeenAgainAndNobodyFailsByAnother(block: UInt64) async {
        if let failure = await campaign.failure(of: HTTPFlightProgram.self, inBlock: block) { Issue.record("\(failure)") }
    }

    /// The system's threads find other orders than the seeded executor, though not the same ones again.
    ///
    /// `HOARD_FLIGHT_RUNS` asks for another number of programs in each block than the usual 12.
    @Test(arguments: 0..<8) func whatWasRemovedIsNeverSeenAgainOnRealThreads(block: Int) async throws {
        let failure = try await ProgramCampaign.failureOnThreads(countNamed: "HOARD_FLIGHT_RUNS", defaultCount: 12, of: HTTPFlightProgram.init) {
            let run = HTTPFlightRun($0, isDelayed: false)
            try await run.perform()
            return run.log.outcome
        }
        if let failure { Issue.record("\(failure)") }
    }

    /// The checker finds the mistakes that it has to find.
    @Test func checkerNoticesWhatItShould() {
        let log = HTTPFlightLog()
        let begun = log.now()
        let removed = log.now()
        log.removed("ann", from: removed)
        log.found(HTTPFlightLog.content("ann", "/a", begun), by: "ann", at: "/a", from: log.now())
        #expect(log.outcome.violations.count == 1)
        log.found(HTTPFlightLog.content("ann", "/a", log.now()), by: "ann", at: "/a", from: begun)
        log.found(HTTPFlightLog.content("bob", "/a", begun), by: "bob", at: "/a", from: log.now())
        #expect(log.outcome.violations.count == 1)
        log.found(HTTPFlightLog.content("bob", "/a", begun), by: "ann", at: "/a", from: begun)
        log.found("nonsense", by: "ann", at: "/a", from: begun)
        log.found("ann /a \(log.now())", by: "ann", at: "/a", from: begun)
        #expect(log.outcome.violations.count == 4)
        log.removed("ann", "/b", from: log.now())
        let stale = log.now()
        log.removed("ann", "/a", from: log.now())
        log.found(HTTPFlightLog.content("ann", "/a", stale), by: "ann", at: "/a", from: log.now())
        #expect(log.outcome.violations.count == 5)
    }
}
