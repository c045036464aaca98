// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

/// The cache modes of the Fetch standard.
@Suite struct HTTPCacheStateMachineModeTests {
    static let fresh = StoredResponse.test(200, "Cache-Control: max-age=60", "ETag: \"1\"")
    static let unusable = StoredResponse.test(200, "Cache-Control: no-cache, must-revalidate", "ETag: \"1\"")

    static let table: [(mode: RequestCacheMode, fresh: String, stale: String, none: String)] = [
        (.default, "200 whole", "fwd stale", "fwd uri-miss"),
        (.noStore, "fwd bypass", "fwd bypass", "fwd bypass"),
        (.reload, "fwd request", "fwd request", "fwd uri-miss"),
        (.noCache, "fwd request", "fwd request", "fwd uri-miss"),
        (.forceCache, "200 whole", "200 whole", "fwd uri-miss"),
        (.onlyIfCached, "200 whole", "200 whole", "504"),
    ]

    @Test(arguments: table)
    func modeDecidesWhetherWhatIsStoredIsUsed(row: (mode: RequestCacheMode, fresh: String, stale: String, none: String)) throws {
        for (stored, seconds, expected) in [(Self.fresh, 5.0, row.fresh), (Self.fresh, 100, row.stale), (nil, 5, row.none)] {
            let (_, action) = HTTPCacheStateMachine.lookingUp(request(), stored, at: seconds, mode: row.mode)
            #expect(action.summary == expected, "\(row.mode), \(stored == nil ? "nothing" : "after \(seconds) s")")
        }
    }

    @Test(arguments: [RequestCacheMode.forceCache, .onlyIfCached])
    func forcedAnswerSaysHowStaleItIs(mode: RequestCacheMode) throws {
        let answer = try HTTPCacheStateMachine.answer(request(), Self.fresh, at: 100, mode: mode)
        #expect(answer.staleness == .init(seconds: 40, decision: .modeForced))
        #expect(answer.head.cacheStatus == "hoard; hit; ttl=-40; detail=MODE-FORCED")
        #expect(try HTTPCacheStateMachine.answer(request(), Self.fresh, at: 5, mode: mode).staleness == nil)
        // The Fetch standard has it so: no directive prevents a use that the caller forces.
        let forced = try HTTPCacheStateMachine.answer(request("Cache-Control: no-cache"), Self.unusable, at: 5, mode: mode)
        #expect(forced.staleness == .init(seconds: 5, decision: .modeForced))
    }

    @Test(arguments: [RequestCacheMode.forceCache, .onlyIfCached])
    func forcedAnswerIsNeverMoreThanIsStored(mode: RequestCacheMode) throws {
        let part = StoredResponse.test(200, "Cache-Control: max-age=60", "ETag: \"1\"", parts: [0..<3])
        let (_, action) = HTTPCacheStateMachine.lookingUp(request(), part, mode: mode)
        #expect(action.summary == (mode == .onlyIfCached ? "504" : "fwd partial"))
        #expect(HTTPCacheStateMachine.lookingUp(request("Range: bytes=0-2"), part, mode: mode).action.summary == "206 0..<3")
    }

    @Test(arguments: [
        (RequestCacheMode.default, []),
        (.forceCache, []),
        (.noCache, ["Cache-Control: max-age=0"]),
        (.noStore, ["Pragma: no-cache", "Cache-Control: no-cache"]),
        (.reload, ["Pragma: no-cache", "Cache-Control: no-cache"]),
    ])
    func modeTellsOtherCachesOnTheWay(mode: RequestCacheMode, lines: [String]) throws {
        let (machine, forward) = try HTTPCacheStateMachine.forwarding(mode: mode)
        #expect(forward.request.headerFields.lines == lines)
        #expect(machine.selectingFields.isEmpty)
        let (_, own) = try HTTPCacheStateMachine.forwarding(request("Cache-Control: max-age=5", "Pragma: x"), mode: mode)
        #expect(own.request.headerFields.lines == ["Cache-Control: max-age=5", "Pragma: x"])
    }

    @Test func reloadFetchesAnewAndStores() throws {
        var (machine, forward) = try HTTPCacheStateMachine.forwarding(request(), Self.fresh, at: 5, mode: .reload)
        #expect(!forward.request.headerFields.contains(.ifNoneMatch))
        #expect(!forward.isCollapsible)
        let head = try machine.received(response(200, "Cache-Control: max-age=60")).stored().head
        #expect(head.cacheStatus == "hoard; fwd=request; fwd-status=200; ttl=59; stored")
    }

    @Test func noCacheValidatesWhatIsFresh() throws {
        var (machine, forward) = try HTTPCacheStateMachine.forwarding(request(), Self.fresh, at: 5, mode: .noCache)
        #expect(forward.request.headerFields.lines == ["If-None-Match: \"1\"", "Cache-Control: max-age=0"])
        #expect(!forward.isCollapsible)
        let (answer, _, _) = try machine.received(response(304)).answered()
        #expect(answer.summary == "200 whole")
        #expect(answer.wasValidated)
    }

    @Test(arguments: [RequestCacheMode.reload, .noCache])
    func whoInsistsOnTheOriginIsToldThatItFails(mode: RequestCacheMode) throws {
        let stored = StoredResponse.test(200, "Cache-Control: max-age=60, stale-if-error=1000", "ETag: \"1\"")
        let rules = HTTPCacheRules.test(staleIfUnreachable: 1_000)
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), stored, mode: mode, rules: rules)
        var other = machine
        #expect(try machine.received(response(503)).delivered().head.status.code == 503)
        #expect(try other.forwardFailed(.init(detail: "timedOut", isUnreachable: true), now: time(101)).failure().hasPrefix("hoard; fwd=request"))
    }

    @Test func noStoreNeitherReadsNorStores() throws {
        var (machine, forward) = try HTTPCacheStateMachine.forwarding(request(), Self.fresh, mode: .noStore)
        #expect(!forward.isCollapsible)
        let (_, effects) = try machine.received(response(200, "Cache-Control: max-age=60")).delivered()
        #expect(effects.reason == .modeNoStore)
        #expect(!effects.removesFound)
    }
}

extension HTTPCacheStateMachine.LookupAction {
    /// The action in few words.
    var summary: String {
        switch self {
        case .respond(let answer): answer.summary
        case .respondAndRefresh(let answer, let forward): "\(answer.summary), refresh \(forward.reason.summary)"
        case .forward(let forward): "fwd \(forward.reason.summary)"
        }
    }
}

extension CacheStatus.ForwardReason {
    var summary: String {
        let value = CacheStatus(cacheName: "x", .forwarded(.init(self))).fieldValue
        return String(value.dropFirst("x; fwd=".count))
    }
}
