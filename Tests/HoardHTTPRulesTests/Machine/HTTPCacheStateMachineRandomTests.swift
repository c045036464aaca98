// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

/// Random requests, stored responses, times and origins, against laws that must hold for all of them. The test
/// knows their parts as plain numbers, so it uses none of the rules to judge the machine.
@Suite struct HTTPCacheStateMachineRandomTests {
    @Test func noLawIsBrokenWhateverHappens() {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = TestGenerator(seed: seed)
        for round in 0..<5_000 {
            let situation = Situation(using: &generator)
            if let violation = situation.violation(using: &generator) {
                Issue.record("\(violation), seed \(seed), round \(round): \(situation)")
                return
            }
        }
    }
}

/// A request and a stored response, made of numbers.
private struct Situation {
    var isShared: Bool
    var isHead: Bool
    var requestDirectives: [String: Int?]
    var responseDirectives: [String: Int?]
    var hasCredentials: Bool
    var hasValidator: Bool
    /// The client's `If-None-Match`.
    var condition: String?
    var range: ClosedRange<Int>?
    /// The stored ranges of ten bytes.
    var extents: [Range<Int>]
    var age: Int
    var staleIfUnreachable: Int

    init(using generator: inout some RandomNumberGenerator) {
        func number(_ numbers: Int...) -> Int { numbers.randomElement(using: &generator) ?? 0 }
        func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
        isShared = once(in: 2)
        isHead = once(in: 6)
        hasCredentials = once(in: 4)
        hasValidator = !once(in: 3)
        condition = once(in: 5) ? (once(in: 2) ? "\"1\"" : "\"2\"") : nil
        let first = Int.random(in: 0..<12, using: &generator)
        range = once(in: 3) ? first...(first + Int.random(in: 0..<6, using: &generator)) : nil
        extents = once(in: 2) ? [0..<10] : once(in: 2) ? [0..<4] : [2..<4, 6..<8]
        age = number(0, 5, 30, 59, 60, 61, 90, 1_000)
        staleIfUnreachable = number(0, 0, 20, 10_000)
        requestDirectives = [:]
        if once(in: 6) { requestDirectives["max-age"] = number(0, 5, 60, 100) }
        if once(in: 6) { requestDirectives["max-stale"] = once(in: 2) ? nil as Int? : number(0, 10, 500) }
        if once(in: 8) { requestDirectives["min-fresh"] = number(0, 10, 60) }
        for name in ["no-cache", "only-if-cached"] where once(in: 10) { requestDirectives.updateValue(nil, forKey: name) }
        if once(in: 8) { requestDirectives["stale-if-error"] = number(10, 500) }
        responseDirectives = [:]
        responseDirectives["max-age"] = number(0, 60, 60, 60, 100)
        for name in ["no-cache", "must-revalidate", "proxy-revalidate"] where once(in: 10) { responseDirectives.updateValue(nil, forKey: name) }
        if once(in: 8) { responseDirectives["s-maxage"] = number(0, 60, 200) }
        if once(in: 5) { responseDirectives["stale-while-revalidate"] = number(10, 500) }
        if once(in: 5) { responseDirectives["stale-if-error"] = number(10, 500) }
    }

    // MARK: Messages

    private static func text(_ directives: [String: Int?]) -> String {
        directives.map { name, value in value.map { "\(name)=\($0)" } ?? name }.sorted().joined(separator: ", ")
    }

    private var request: HTTPRequest {
        var lines = ["Connection: close"]
        if !requestDirectives.isEmpty { lines.append("Cache-Control: \(Self.text(requestDirectives))") }
        if hasCredentials { lines.append("Authorization: x") }
        if let condition { lines.append("If-None-Match: \(condition)") }
        if let range { lines.append("Range: bytes=\(range.lowerBound)-\(range.upperBound)") }
        return HTTPRequest(method: isHead ? .head : .get, scheme: "http", authority: "example.com", path: "/a", headerFields: fields(lines))
    }

    private var rules: HTTPCacheRules { .test(isShared ? .shared : .private, staleIfUnreachable: Int64(staleIfUnreachable)) }

    private var stored: StoredResponse {
        var lines = ["Cache-Control: \(Self.text(responseDirectives))", "Content-Length: 10"]
        if hasValidator { lines.append("ETag: \"1\"") }
        return StoredResponse(
            head: response(200, lines),
            body: StoredResponse.test(parts: extents).body,
            requestTime: time(0),
            responseTime: time(0),
            rules: rules
        )
    }

    // MARK: What must hold

    private func says(_ name: String) -> Bool { responseDirectives.keys.contains(name) }
    private func asks(_ name: String) -> Bool { requestDirectives.keys.contains(name) }
    private var lifetime: Int { (isShared ? responseDirectives["s-maxage"] ?? nil : nil) ?? (responseDirectives["max-age"] ?? nil) ?? 0 }
    private var staleness: Int { age - lifetime }
    private var isProhibited: Bool {
        says("no-cache") || says("must-revalidate") || isShared && (says("proxy-revalidate") || says("s-maxage"))
    }

    /// Runs the machine, and tells the first law it breaks.
    func violation(using generator: inout some RandomNumberGenerator) -> String? {
        var machine = HTTPCacheStateMachine(request, rules: rules)
        guard machine.start() == .lookUp else { return "a GET or HEAD is not looked up" }
        switch machine.lookedUp(stored, isVaryMiss: false, now: time(Double(age))) {
        case .respond(let answer):
            return violation(answer, hasAsked: false)
        case .respondAndRefresh(let answer, let forward):
            if asks("only-if-cached") { return "a request is forwarded against only-if-cached" }
            if forward.request.method != .get || forward.request.headerFields.contains(.range) { return "a refresh is not a plain GET" }
            return violation(answer, hasAsked: false)
        case .forward(let forward):
            if asks("only-if-cached") { return "a request is forwarded against only-if-cached" }
            if forward.request.headerFields.contains(.connection) { return "a field of the connection is forwarded" }
            return violationOfOrigin(&machine, using: &generator)
        }
    }

    private func violationOfOrigin(_ machine: inout HTTPCacheStateMachine, using generator: inout some RandomNumberGenerator) -> String? {
        let now = time(Double(age))
        if Int.random(in: 0..<4, using: &generator) == 0 {
            let isUnreachable = Bool.random(using: &generator)
            guard case .respond(let answer) = machine.forwardFailed(.init(detail: "x", isUnreachable: isUnreachable), now: now) else { return nil }
            return violation(answer, hasAsked: true, isUnreachable: isUnreachable)
        }
        let status = [200, 200, 206, 304, 404, 416, 503].randomElement(using: &generator) ?? 200
        let directives = ["max-age=60", "no-store", "private, max-age=60", "public, max-age=60", ""].randomElement(using: &generator) ?? ""
        let tag = ["\"1\"", "\"2\"", "W/\"1\""].randomElement(using: &generator) ?? ""
        let place = ["4-9/10", "4-5/10", "0-9/10", "4-9/*", "x"].randomElement(using: &generator) ?? ""
        let origin = response(status, "Cache-Control: \(directives)", "ETag: \(tag)", "Content-Range: bytes \(place)")
        for _ in 0..<2 {
            switch machine.received(origin, bodyLength: nil, requestTime: now, responseTime: now) {
            case .deliver(let head, _):
                return head.status.code == status ? nil : "another status is delivered"
            case .deliverAndStore(_, let storing, _):
                return violation(storing, status: status, directives: directives, tag: tag)
            case .deliverCombined(let head, let old, let storing, let effects):
                if head.status.code != 200 || tag != "\"1\"" || !hasValidator { return "parts of different responses are combined" }
                if old != stored || storing.response.body.extents.map(\.range) != extents { return "what is stored is lost" }
                if directives == "no-store", !effects.removesFound { return "no-store is stored" }
                return nil
            case .respond(let answer, let storing, _):
                if status == 304, tag == "\"2\"" { return "a 304 about another response is taken" }
                if directives == "no-store", storing != nil { return "no-store is stored" }
                return status == 304 ? contentViolation(answer) : violation(answer, hasAsked: true)
            case .forwardAgain(let forward):
                if forward.request.headerFields.contains(.ifNoneMatch) { return "a condition is sent again" }
            }
        }
        return "the request is forwarded for ever"
    }

    private func violation(_ storing: HTTPCacheStateMachine.Storing, status: Int, directives: String, tag: String) -> String? {
        if isHead { return "a response to HEAD is stored" }
        if directives == "no-store" { return "no-store is stored" }
        if isShared, directives.hasPrefix("private") { return "a private response is stored in a shared cache" }
        if isShared, hasCredentials, !directives.hasPrefix("public") { return "an authorized response is stored in a shared cache" }
        if status == 206 {
            if range == nil { return "a part that nobody asked for is stored" }
            if storing.placement == nil || storing.response.statusCode != 200 { return "a part is stored as the whole" }
            if !storing.response.body.extents.isEmpty, tag != "\"1\"" || !hasValidator { return "parts of different responses are combined" }
        }
        return status == 416 || status == 304 ? "\(status) is stored" : nil
    }

    private func violation(_ answer: HTTPCacheStateMachine.Answer, hasAsked: Bool, isUnreachable: Bool = false) -> String? {
        if answer.stored == nil { return answer.head.status.code == 504 && asks("only-if-cached") ? nil : "an answer is made up" }
        if let staleness = answer.staleness {
            if isProhibited, self.staleness >= 0 || says("no-cache") { return "a stale answer is given against a prohibition" }
            if staleness.seconds != max(0, self.staleness) { return "the staleness is wrong" }
            if !isPermitted(hasAsked: hasAsked, isUnreachable: isUnreachable) { return "a stale answer is given that nobody permits" }
        } else {
            if staleness >= 0 { return "a stale answer is given for a fresh one" }
            if says("no-cache") || asks("no-cache") { return "an unconfirmed answer is given against no-cache" }
            if let maxAge = requestDirectives["max-age"] ?? nil, age > maxAge { return "an answer is too old for the client" }
            if let minFresh = requestDirectives["min-fresh"] ?? nil, -staleness < minFresh { return "an answer is not fresh for long enough" }
        }
        return contentViolation(answer)
    }

    private func isPermitted(hasAsked: Bool, isUnreachable: Bool) -> Bool {
        let staleness = max(0, staleness)
        if hasAsked {
            let allowances =
                [responseDirectives["stale-if-error"] ?? nil, requestDirectives["stale-if-error"] ?? nil] + [isUnreachable ? staleIfUnreachable : nil]
            return allowances.contains { $0.map { staleness < $0 } ?? false }
        }
        if asks("max-stale") { if let limit = requestDirectives["max-stale"] ?? nil { if staleness <= limit { return true } } else { return true } }
        return (responseDirectives["stale-while-revalidate"] ?? nil).map { staleness < $0 } ?? false
    }

    private func contentViolation(_ answer: HTTPCacheStateMachine.Answer) -> String? {
        if answer.head.headerFields[values: .age].count != (answer.head.status.code == 416 ? 0 : 1) { return "there is not exactly one Age" }
        if answer.head.headerFields[values: .cacheStatus].last?.hasPrefix("hoard; ") != true { return "there is no Cache-Status" }
        if answer.head.headerFields.contains(.connection) { return "a field of a connection is sent" }
        switch answer.content {
        case .none:
            let isEmptyAnswer = isHead || answer.head.status.code == 304 && condition == "\"1\"" && hasValidator || answer.head.status.code == 416
            return isEmptyAnswer ? nil : "content is missing"
        case .whole:
            return extents == [0..<10] && !isHead && answer.head.status.code == 200 ? nil : "a part is sent as the whole"
        case .range(let part):
            guard let range, part == range.lowerBound..<min(range.upperBound + 1, 10) else { return "another range than asked for is sent" }
            return extents.contains { $0.contains(part.lowerBound) && $0.contains(part.upperBound - 1) } ? nil : "bytes are sent that are not stored"
        case .multipart:
            return "several parts are sent for one range"
        }
    }
}
