// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport

/// A way through the state machine, whose last step is a row of the table in `docs/http-decisions.md`.
struct DecisionScenario: Sendable {
    enum Event: Sendable {
        case start
        case lookedUp(StoredResponse?, isVaryMiss: Bool = false, at: Double = 0)
        case received(HTTPResponse, at: Double = 101)
        case failed(isUnreachable: Bool, at: Double = 101)
        case joined(StoredResponse, leader: HTTPFields = [:], at: Double = 1)
    }

    /// The last action.
    struct Row: Equatable, Sendable {
        let state: String
        let situation: String
        let action: String
        let decisions: [HTTPDecision]
        let cacheStatus: String
    }

    let situation: String
    let sent: HTTPRequest
    var hasContent = false
    var mode = RequestCacheMode.default
    var rules = HTTPCacheRules.test()
    var policy = HTTPCachePolicy()
    let events: [Event]

    init(
        _ situation: String,
        _ sent: HTTPRequest,
        hasContent: Bool = false,
        mode: RequestCacheMode = .default,
        rules: HTTPCacheRules = .test(),
        policy: HTTPCachePolicy = HTTPCachePolicy(),
        _ events: Event...
    ) {
        self.situation = situation
        self.sent = sent
        self.hasContent = hasContent
        self.mode = mode
        self.rules = rules
        self.policy = policy
        self.events = events
    }

    /// Drives a machine through the events.
    func run() -> Row {
        var machine = HTTPCacheStateMachine(sent, hasContent: hasContent, mode: mode, rules: rules, policy: CompiledHTTPCachePolicy(policy))
        var row = Row(state: "", situation: "", action: "", decisions: [], cacheStatus: "")
        for event in [.start] + events {
            let state = machine.stateDescription
            let (action, decisions, status) = machine.step(event)
            let distinct = decisions.reduce(into: [] as [HTTPDecision]) { if !$0.contains($1) { $0.append($1) } }
            row = Row(state: state, situation: situation, action: action, decisions: distinct, cacheStatus: status ?? "")
        }
        return row
    }
}

extension HTTPCacheStateMachine {
    typealias Step = (action: String, decisions: [HTTPDecision], cacheStatus: String?)

    fileprivate mutating func step(_ event: DecisionScenario.Event) -> Step {
        switch event {
        case .start:
            switch start() {
            case .lookUp: ("look up", [], nil)
            case .respond(let answer): Self.step(answer)
            case .forward(let forward): Self.step(forward, self)
            }
        case .lookedUp(let stored, let isVaryMiss, let seconds):
            Self.step(lookedUp(stored, isVaryMiss: isVaryMiss, now: time(seconds)), self)
        case .joined(let stored, let leader, let seconds):
            Self.step(joined(stored, leaderFields: leader, now: time(seconds)), self)
        case .failed(let isUnreachable, let seconds):
            switch forwardFailed(.init(detail: "timedOut", isUnreachable: isUnreachable), now: time(seconds)) {
            case .respond(let answer): Self.step(answer)
            case .fail(let status, let prohibition): (prohibition == nil ? "fail" : "fail with 504", [], status.fieldValue)
            }
        case .received(let response, let seconds):
            step(received(response, at: seconds))
        }
    }

    private static func step(_ action: LookupAction, _ machine: Self) -> Step {
        switch action {
        case .respond(let answer): step(answer)
        case .forward(let forward): step(forward, machine)
        case .respondAndRefresh(let answer, let forward):
            ("\(step(answer).action), and validate in the background", [answer.decision, forward.decision], answer.head.cacheStatus)
        }
    }

    private func step(_ action: ResponseAction) -> Step {
        switch action {
        case .deliver(let head, let effects):
            ("deliver\(effects.words)", effects.decisions, head.cacheStatus)
        case .deliverAndStore(let head, let storing, let effects):
            ("deliver, store\(storing.placement == nil ? "" : " the part")\(effects.words)", effects.decisions, head.cacheStatus)
        case .deliverCombined(let head, _, _, let effects):
            ("deliver the whole\(effects.removesFound ? "" : ", store")\(effects.words)", effects.decisions, head.cacheStatus)
        case .respond(let answer, let storing, let effects):
            (
                Self.step(answer).action + (storing == nil ? "" : ", store") + effects.words, [answer.decision] + effects.decisions,
                answer.head.cacheStatus
            )
        case .forwardAgain(let forward):
            ("forward again without conditions", [forward.decision], nil)
        }
    }

    private static func step(_ answer: Answer) -> Step {
        ("answer \(answer.summary)", [answer.decision], answer.head.cacheStatus)
    }

    private static func step(_ forward: Forward, _ machine: Self) -> Step {
        let words: [String: String] = ["validating": "forward with the stored validators", "completing": "forward for the missing range"]
        return (words[machine.stateDescription] ?? "forward", [forward.decision], nil)
    }
}

extension HTTPCacheStateMachine.Effects {
    fileprivate var words: String {
        var words = ""
        if removesFound { words += ", remove what was found" }
        if replacement != nil { words += ", update what was found" }
        if !invalidatedURIs.isEmpty { words += ", invalidate \(invalidatedURIs.count)" }
        return words
    }

    /// Why something is removed, if anything is.
    private var removalReason: HTTPDecision? {
        if !invalidatedURIs.isEmpty { return .unsafeMethod }
        guard removesFound else { return nil }
        return reason == .headDiffers || reason == .validatedNotKept ? reason : .superseded
    }

    fileprivate var decisions: [HTTPDecision] {
        [reason] + (removalReason.map { $0 == reason ? [] : [$0] } ?? [])
    }
}
