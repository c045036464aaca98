// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardViews
import Testing

@testable import Screens

@Suite
struct VisitTests {
    private func visit(_ source: FetchedView.Source, _ staleness: FetchedView.Staleness? = nil, isChange: Bool = false) -> Visit {
        let button = ButtonComponent(
            "Next",
            onPress: [.pushView(ComponentRoute("/next", shouldPrefetch: true)), .pushView(ComponentRoute("/later"))]
        )
        let view = FetchedView(component: button, source: source, staleness: staleness, url: "http://shop/")
        return Visit(view, path: "/screens/x", isChange: isChange, requests: RequestCounts(requests: 2, notModified: 1))
    }

    @Test(
        arguments: [
            (.memory, .hit), (.cache, .hit), (.prefetched, .prefetched), (.renewed, .renewed), (.network, .miss),
        ] as [(FetchedView.Source, Visit.Outcome)]
    )
    func outcomeFollowsFromTheSource(source: FetchedView.Source, outcome: Visit.Outcome) {
        #expect(visit(source).outcome == outcome)
    }

    @Test
    func onlyWhatTheServerHasSentIsAChange() {
        #expect(visit(.network, isChange: true).outcome == .changed)
        #expect(visit(.renewed, isChange: true).outcome == .renewed)
    }

    @Test
    func staleScreenSaysHowOldItIs() {
        let standIn = visit(.memory, FetchedView.Staleness(age: .seconds(7_300), isStandIn: true, reason: ""))
        #expect(standIn.outcome == .standIn)
        #expect(standIn.note == "the server is away; this is 2 hours old")
        let stale = visit(.cache, FetchedView.Staleness(age: .seconds(90), isStandIn: false, reason: ""))
        #expect(stale.outcome == .stale)
        #expect(stale.note == "90 seconds old; the server is being asked")
    }

    @Test(arguments: [
        (0, "a second"), (1, "a second"), (2, "2 seconds"), (119, "119 seconds"), (120, "2 minutes"), (7_199, "119 minutes"), (7_200, "2 hours"),
    ])
    func agesAreWords(seconds: Int64, words: String) {
        #expect(Visit.words(seconds: seconds) == words)
    }

    @Test
    func onlyScreensThatTheServerAsksForArePrefetched() {
        #expect(visit(.network).prefetchPaths == ["/next"])
        #expect(visit(.network).text?.links == ["/next"])
    }

    @Test(arguments: [
        (RequestCounts(), "0 requests"), (RequestCounts(requests: 1), "1 request"), (RequestCounts(requests: 1, notModified: 1), "1 request (304)"),
        (RequestCounts(requests: 3, notModified: 3), "3 requests (304)"), (RequestCounts(requests: 3, notModified: 1), "3 requests (1 of them 304)"),
        (nil, "server away"),
    ])
    func requestsAreCountedInWords(counts: RequestCounts?, words: String) {
        let lines = Lines()
        Report { lines.append($0) }.visit("open", Visit(ViewError(.network, "No."), path: "/screens/x", requests: counts))
        #expect(lines.rows("open") == ["open x failed No. \(words)"])
    }

    @Test
    func failureSaysWhy() {
        for (status, words) in [(401, "the server wants to know who asks (401)"), (404, "the server has no such screen (404)"), (500, "Oh.")] {
            #expect(Visit(ViewError(.network, "Oh.", statusCode: status), path: "/", requests: nil).note == words)
        }
        #expect(Visit(ViewError(.decoding, "The screen is not JSON."), path: "/", requests: nil).note == "The screen is not JSON.")
    }
}
