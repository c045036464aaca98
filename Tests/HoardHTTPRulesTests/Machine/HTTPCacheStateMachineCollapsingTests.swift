// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

/// Requests that wait for the answer to another one.
@Suite struct HTTPCacheStateMachineCollapsingTests {
    static let requests: [(lines: [String], mode: CacheMode, isCollapsible: Bool)] = [
        ([], .private, true),
        (["Accept: */*", "Cookie: a=b"], .shared, true),
        (["Authorization: x"], .private, true),
        (["Authorization: x"], .shared, false),
        (["Range: bytes=0-1"], .private, false),
        (["If-None-Match: \"1\""], .private, false),
        (["If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT"], .private, false),
        (["If-Match: \"1\""], .private, false),
        (["Cache-Control: no-cache"], .private, false),
        (["Cache-Control: no-store"], .private, false),
        (["Cache-Control: max-age=0"], .private, false),
        (["Pragma: no-cache"], .private, false),
        (["Cache-Control: max-age=10"], .private, true),
        (["Cache-Control: min-fresh=10, max-stale=5"], .private, true),
    ]

    @Test(arguments: requests)
    func requestMayWaitUnlessItAsksForAnAnswerOfItsOwn(example: (lines: [String], mode: CacheMode, isCollapsible: Bool)) throws {
        var sent = request()
        sent.headerFields = fields(example.lines)
        let (_, forward) = try HTTPCacheStateMachine.forwarding(sent, rules: .test(example.mode))
        #expect(forward.isCollapsible == example.isCollapsible)
    }

    @Test func requestWithContentDoesNotWait() throws {
        var machine = HTTPCacheStateMachine(request(), hasContent: true)
        #expect(try machine.start().forwarded().isCollapsible == false)
    }

    @Test func followerGetsTheLeadersAnswer() throws {
        var (follower, _) = try HTTPCacheStateMachine.forwarding()
        let leaders = StoredResponse.test(200, "Cache-Control: max-age=60", "Content-Length: 10", parts: [], length: nil)
        let answer = try follower.joined(leaders, leaderFields: [:], now: time(1)).answer()
        #expect(answer.summary == "200 whole")
        #expect(answer.head.headerFields[.age] == "1")
        #expect(answer.head.cacheStatus == "hoard; fwd=uri-miss; ttl=59; collapsed")
    }

    @Test func followersConditionIsJudgedByTheLeadersAnswer() throws {
        let stale = StoredResponse.test(200, "Cache-Control: max-age=60", "ETag: \"0\"")
        var (follower, forward) = try HTTPCacheStateMachine.forwarding(request("If-None-Match: \"1\""), stale)
        #expect(forward.isCollapsible, "The condition that is forwarded is the cache's own.")
        let leaders = StoredResponse.test(200, "Cache-Control: max-age=1000", "ETag: \"1\"")
        #expect(try follower.joined(leaders, leaderFields: [:], now: time(101)).answer().summary == "304")
    }

    static let unfit: [(leader: [String], follower: [String], leaderFields: [String], seconds: Double)] = [
        (["Cache-Control: max-age=60"], [], [], 60),
        (["Cache-Control: no-cache"], [], [], 1),
        (["Cache-Control: max-age=0"], [], [], 0),
        (["Cache-Control: max-age=60"], ["Cache-Control: min-fresh=60"], [], 1),
        (["Cache-Control: max-age=60", "Age: 10"], ["Cache-Control: max-age=5"], [], 1),
        (["Cache-Control: max-age=60", "Vary: Accept"], ["Accept: a"], ["Accept: b"], 1),
        (["Cache-Control: max-age=60", "Vary: Accept"], [], ["Accept: b"], 1),
        (["Cache-Control: max-age=60", "Vary: *"], [], [], 1),
    ]

    @Test(arguments: unfit)
    func followerAsksForItselfIfTheAnswerIsNotForIt(
        example: (leader: [String], follower: [String], leaderFields: [String], seconds: Double)
    ) throws {
        var sent = request()
        sent.headerFields = fields(example.follower)
        var (follower, forward) = try HTTPCacheStateMachine.forwarding(sent)
        let leaders = StoredResponse(head: response(200, example.leader), requestTime: time(0), responseTime: time(0), rules: .test())
        let own = try follower.joined(leaders, leaderFields: fields(example.leaderFields), now: time(example.seconds)).forwarded()
        #expect(own == forward)
        _ = try follower.received(response(200, "Cache-Control: max-age=60")).stored()
    }

    @Test func equalSelectingFieldsAreEqualInTheirMeaning() throws {
        var (follower, _) = try HTTPCacheStateMachine.forwarding(request("Accept: a,b"))
        let leaders = StoredResponse.test(200, "Cache-Control: max-age=60", "Vary: Accept")
        #expect(try follower.joined(leaders, leaderFields: fields("Accept: a", "Accept: b"), now: time(1)).answer().summary == "200 whole")
    }

    @Test func followerOfAValidationGetsWhatItFreshened() throws {
        let stale = StoredResponse.test(200, "Cache-Control: max-age=60", "ETag: \"1\"")
        var (leader, _) = try HTTPCacheStateMachine.forwarding(request(), stale)
        var (follower, _) = try HTTPCacheStateMachine.forwarding(request(), stale)
        let freshened = try #require(try leader.received(response(304)).answered().storing)
        let answer = try follower.joined(freshened, leaderFields: [:], now: time(101)).answer()
        #expect(answer.head.cacheStatus == "hoard; fwd=stale; ttl=59; collapsed")
    }
}
