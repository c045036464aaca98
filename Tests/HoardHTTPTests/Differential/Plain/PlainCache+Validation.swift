// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport

extension PlainCache {
    /// Asks the origin about a stored response: RFC 9111 §4.3.
    func validating(_ stored: PlainStored, _ world: PlainWorld, _ exchange: PlainExchange) -> [PlainBranch] {
        let request = exchange.request
        let own = PlainConditions(ifNoneMatch: stored.eTag, ifModifiedSince: stored.lastModified)
        let foreign = PlainConditions(request.fields)
        // §4.3.1: the validators are sent. Where there are none, or the method is HEAD, the request
        // goes as it is.
        let isHead = (exchange.calls.first?.request.method ?? request.method) == "HEAD"
        guard !own.isEmpty, !isHead else { return validating(stored, world, exchange, with: [foreign], areOwn: false) }
        return validating(stored, world, exchange, with: [own], areOwn: true)
    }

    private func validating(
        _ stored: PlainStored,
        _ world: PlainWorld,
        _ exchange: PlainExchange,
        with conditions: [PlainConditions],
        areOwn: Bool
    ) -> [PlainBranch] {
        let why = "§4.3, validation"
        let request = exchange.request
        guard let call = exchange.calls.first else { return [.forwarding(why, conditions)] }
        guard let response = call.response, ![500, 502, 503, 504].contains(response.status) else {
            return afterError(stored, world, request, call, conditions, at: exchange.time)
        }
        if response.status == 304, areOwn {
            return confirmed(stored, by: response, exchange.calls, at: exchange.time, world, request, conditions)
        }
        return [delivering(call, world, request, found: stored, why, conditions)]
    }

    /// §4.3.4, §3.2.
    private func confirmed(
        _ stored: PlainStored,
        by response: PlainResponse,
        _ calls: [PlainCall],
        at time: Int,
        _ world: PlainWorld,
        _ request: PlainRequest,
        _ conditions: [PlainConditions]
    ) -> [PlainBranch] {
        let call = calls[0]
        let match = identifies(response, stored)
        var branches: [PlainBranch] = []
        if match != false {
            var forms = updated(stored, by: response, call)
            // §4.1 speaks of the original request. If the response varies by other fields from now on, that may be
            // the one that it has just been confirmed for, as it is in this cache.
            forms += forms.filter { $0.varyNames != stored.varyNames }.map { form in
                var form = form
                form.selecting = Self.selecting(request)
                return form
            }
            let next = replacing(stored, by: forms, in: world, request)
            branches += serving(forms[0], request, at: [call.responseTime], isValidated: true).map {
                PlainBranch(why: "§4.3.4, confirmed", calls: [conditions], reply: $0, next: next)
            }
        }
        if match == true { return branches }
        // Nothing is updated. The origin has not answered the request, so it is asked again.
        let again = [PlainConditions(), PlainConditions(request.fields)]
        guard calls.count > 1 else {
            return branches + [PlainBranch(why: "§4.3.4, another 304", calls: [conditions, again], reply: .asOriginAnswers, next: [])]
        }
        let second = calls[1]
        if second.response == nil || second.response?.status ?? 0 >= 500 {
            // §4.3.2 says only that a cache SHOULD answer the client's condition with 304.
            var whole = request
            whole.fields.remove("if-none-match")
            whole.fields.remove("if-modified-since")
            for request in [request, whole] {
                branches += afterError(stored, world, request, second, again, at: time).map { branch in
                    PlainBranch(why: branch.why, calls: [conditions] + branch.calls, reply: branch.reply, next: branch.next)
                }
            }
        }
        var branch = delivering(second, world, request, found: stored, "§4.3.4, asked again after another 304", again)
        branch.calls = [conditions, again]
        return branches + [branch]
    }

    /// Whether a 304 is about the stored response: §4.3.4. `nil`: nothing in it tells.
    private func identifies(_ response: PlainResponse, _ stored: PlainStored) -> Bool? {
        guard let tag = response.fields["etag"] else {
            return response.fields["last-modified"].flatMap { $0 == stored.lastModified ? true : nil }
        }
        if !tag.hasPrefix("W/") { return tag == stored.eTag }
        return stored.eTag.flatMap { Self.opaque($0) == Self.opaque(tag) ? true : nil }
    }

    /// The stored response with the fields of a newer one about the same content: §3.2.
    func updated(_ stored: PlainStored, by response: PlainResponse, _ call: PlainCall) -> [PlainStored] {
        var merged = stored.response
        // The age is that of the response which has come last.
        merged.fields.remove("age")
        // Without Date, the time of receipt takes its place: RFC 9110 §6.6.1.
        merged.fields.remove("date")
        let lines = response.fields.lines.filter { $0.name != "content-length" && (!has(.neverUpdatesFields) || ["age", "date"].contains($0.name)) }
        for line in lines { merged.fields.remove(line.name) }
        merged.fields.lines += lines
        return storedForms(merged, selecting: stored.selecting, requestTime: call.requestTime, responseTime: call.responseTime)
    }

    func replacing(_ stored: PlainStored, by forms: [PlainStored], in world: PlainWorld, _ request: PlainRequest) -> [PlainWorld] {
        let others = world.filter { $0 != stored }
        guard let form = forms.first else { return [world] }
        var request = request
        request.method = "GET"
        // The condition was the cache's own, and the content is that of the stored response.
        request.fields.remove("if-none-match")
        request.fields.remove("if-modified-since")
        let storability = self.storability(form.response, to: request)
        let kept = forms.map { others + [$0] }
        switch storability {
        case .must: return kept
        case .may: return kept + [others]
        case .mustNot:
            // A response to a request without credentials stays usable for all: §3.5.
            request.fields.remove("authorization")
            return self.storability(form.response, to: request) == .mustNot ? [others] : kept + [others, world]
        }
    }
}
