// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTPTestSupport

/// A final response as the client received it, with the interim responses before it.
struct ScriptedReply: Sendable {
    var status: Int
    var fields = ScriptedFields()
    var content = ""
    var interim: [(status: Int, fields: ScriptedFields)] = []

    /// When the origin produced the response, by its own clock.
    var originTime: Date? { fields.leadingNumber("Server-Now").map { Date(timeIntervalSince1970: Double($0) / 1_000) } }
}

/// One expectation of a script, and the reason why it is not met.
struct BehaviourFinding: Sendable {
    /// The member of the script that the expectation comes from. `nil`: a precondition.
    let member: String?
    let expectation: String
    /// `nil` if the expectation is met.
    let problem: String?

    init(_ member: String?, _ expectation: String, _ problem: String?) {
        self.member = member
        self.expectation = expectation
        self.problem = problem
    }

    fileprivate init(_ member: String?, _ expectation: String, isMet: Bool, got: String?) {
        self.init(member, expectation, isMet ? nil : got.map { "it is \"\($0)\"" } ?? "it is absent")
    }
}

extension BehaviourStep {
    /// The script's expectations of the response to the step's request, the values of interim fields and the absence of hop-by-hop fields included.
    func findings(number: Int, token: String, _ reply: ScriptedReply) -> [BehaviourFinding] {
        typeFindings(number: number, reply) + fieldFindings(reply) + interimFindings(reply) + contentFindings(token: token, reply)
    }

    private func typeFindings(number: Int, _ reply: ScriptedReply) -> [BehaviourFinding] {
        var findings: [BehaviourFinding] = []
        let count = reply.fields.leadingNumber("Server-Request-Count")
        let foreign = "got a \(reply.status) response that is not from the origin"
        if expectedType == "cached" {
            let isCached = count.map { $0 < number } ?? (reply.status == 304)
            let problem = count.map { "the origin was asked and sent its response number \($0)" } ?? foreign
            findings.append(BehaviourFinding("expected_type", "a stored response", isCached ? nil : problem))
        } else if expectedType == "not_cached" {
            let problem = count.map { "got the stored response number \($0)" } ?? foreign
            findings.append(BehaviourFinding("expected_type", "a new response from the origin", count == number ? nil : problem))
        }
        if expectedType.hasSuffix("validated"), self["expected_status"] == nil, self["response_status"] == nil {
            let problem = reply.status == 999 ? "the origin received a request without it" : nil
            findings.append(BehaviourFinding("expected_type", "the cache to validate with the stored validator", problem))
        }
        let isStatusExpected = self["expected_status"] != nil
        let status = isStatusExpected ? self["expected_status"]?.number : list("response_status").first?.number ?? 200
        if let status {
            let problem = reply.status == status ? nil : "got \(reply.status)"
            findings.append(BehaviourFinding(isStatusExpected ? "expected_status" : nil, "status \(status)", problem))
        }
        return findings
    }

    private func fieldFindings(_ reply: ScriptedReply) -> [BehaviourFinding] {
        var findings: [BehaviourFinding] = []
        for (name, rest) in expectations("expected_response_headers") {
            let got = reply.fields[name]
            let isMet: Bool
            let text: String
            if rest.first?.text == "=", let other = rest.dropFirst().first?.text {
                (isMet, text) = (got != nil && got == reply.fields[other], "\(name) to equal \(other)")
            } else if rest.first?.text == ">", let bound = rest.dropFirst().first?.number {
                (isMet, text) = (got != nil && (reply.fields.leadingNumber(name) ?? 0) > bound, "\(name) above \(bound)")
            } else if let value = rest.first {
                let wanted = fieldValue(name, value, now: reply.originTime, base: reply.fields["Server-Base-Url"])
                (isMet, text) = (got == wanted, "\(name): \(wanted) in the response")
            } else {
                (isMet, text) = (got != nil, "\(name) in the response")
            }
            findings.append(BehaviourFinding("expected_response_headers", text, isMet: isMet, got: got))
        }
        let missing = "expected_response_headers_missing"
        for (name, rest) in expectations(missing) {
            let got = reply.fields[name]
            if let part = rest.first?.text {
                findings.append(BehaviourFinding(missing, "no \(name): \(part) in the response", isMet: got?.contains(part) != true, got: got))
            } else {
                findings.append(BehaviourFinding(missing, "no \(name) in the response", isMet: got == nil, got: got))
            }
        }
        return findings
    }

    private func interimFindings(_ reply: ScriptedReply) -> [BehaviourFinding] {
        let member = "expected_interim_responses"
        guard self[member] != nil else { return [] }
        let wanted = list(member).compactMap(\.list)
        var findings: [BehaviourFinding] = []
        for (entry, got) in zip(wanted, reply.interim) {
            let code = entry.first?.number ?? 0
            findings.append(BehaviourFinding(member, "an interim response \(code)", got.status == code ? nil : "got \(got.status)"))
            for line in entry.dropFirst().first?.list ?? [] {
                let (name, value) = (line.list?.first?.text ?? "", line.list?.last?.text ?? "")
                let text = "\(name): \(value) in the interim response"
                findings.append(BehaviourFinding(member, text, isMet: got.fields[name] == value, got: got.fields[name]))
            }
        }
        let problem = wanted.count == reply.interim.count ? nil : "got \(reply.interim.map(\.status))"
        findings.append(BehaviourFinding(member, "\(wanted.count) interim responses", problem))
        return findings
    }

    private func contentFindings(token: String, _ reply: ScriptedReply) -> [BehaviourFinding] {
        guard self["check_body"]?.bool != false else { return [] }
        let member = self["expected_response_text"] == nil ? nil : "expected_response_text"
        let wanted: String? =
            if member != nil {
                text("expected_response_text")
            } else if let scripted = text("response_body") {
                scripted
            } else {
                reply.status == 204 || reply.status == 304 || method == "HEAD" ? nil : token
            }
        guard let wanted else { return [] }
        return [BehaviourFinding(member, "the content \"\(wanted)\"", reply.content == wanted ? nil : "it is \"\(reply.content)\"")]
    }

    /// The script's expectations of the request that reached the origin.
    ///
    /// - Parameter arrival: `nil` if none did.
    func findings(number: Int, arrival: ScriptedOrigin.Arrival?, _ reply: ScriptedReply) -> [BehaviourFinding] {
        var findings: [BehaviourFinding] = []
        let absent = arrival == nil ? "nothing more reached the origin" : nil
        if expectedType == "not_cached" {
            let problem = arrival?.number == number ? nil : "the origin received another request in its place"
            findings.append(BehaviourFinding("expected_type", "the origin to receive it", absent ?? problem))
        }
        if let condition = ["etag_validated": "If-None-Match", "lm_validated": "If-Modified-Since"][expectedType] {
            let problem = arrival?.fields.contains(condition) == true ? nil : "it did not"
            findings.append(BehaviourFinding("expected_type", "the origin to receive \(condition)", absent ?? problem))
        }
        for (member, isWanted) in [("expected_request_headers", true), ("expected_request_headers_missing", false)] {
            for (name, rest) in expectations(member) {
                let got = arrival?.fields[name]
                let isThere = rest.first?.text.map { got == $0 } ?? (got != nil)
                let text = "the origin \(isWanted ? "" : "not ")to receive \(name) \(rest.first?.text ?? "")"
                let problem = isThere == isWanted ? nil : "it is \(got ?? "absent")"
                findings.append(BehaviourFinding(member, text, absent ?? problem))
            }
        }
        for (name, value) in arrival?.promised ?? [] where name.lowercased() != "date" {
            let got = reply.fields[name]
            findings.append(BehaviourFinding(nil, "\(name): \(value) in the response, as the origin sent it", isMet: got == value, got: got))
        }
        if let method = text("expected_method") {
            let problem = arrival?.method == method ? nil : "it received \(arrival?.method ?? "")"
            findings.append(BehaviourFinding("expected_method", "the origin to receive the method \(method)", absent ?? problem))
        }
        return findings
    }
}
