// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport

extension PlainCache {
    /// The origin's answer goes to the client as it is.
    func delivering(
        _ call: PlainCall,
        _ world: PlainWorld,
        _ request: PlainRequest,
        found: PlainStored?,
        _ why: String,
        _ conditions: [PlainConditions]
    ) -> PlainBranch {
        guard let response = call.response else { return PlainBranch(why: why, calls: [conditions], reply: .failure, next: [world]) }
        let reply = PlainReplyPattern(
            status: response.status,
            body: response.body,
            eTag: [response.fields["etag"]],
            lastModified: [response.fields["last-modified"]],
            cacheControl: [response.fields["cache-control"]],
            contentRange: [response.fields["content-range"]],
            age: [response.fields["age"]]
        )
        let next =
            switch call.request.method {
            case "GET": storing(call, response, for: request.asGet, world, found: found)
            case "HEAD": afterHead(response, call, world, request, found: found)
            default: [world]
            }
        return PlainBranch(why: why, calls: [conditions], reply: reply, next: next)
    }

    /// §4.3.5: the response to HEAD updates a stored one with the same validators and length, and shows that
    /// other stored responses are no longer current.
    private func afterHead(
        _ response: PlainResponse,
        _ call: PlainCall,
        _ world: PlainWorld,
        _ request: PlainRequest,
        found: PlainStored?
    ) -> [PlainWorld] {
        guard let stored = found, response.status == 200, !PlainDirectives(request.fields).has("no-store") else {
            return found.map { found in [world, world.filter { $0 != found }] } ?? [world]
        }
        let received = ["etag", "last-modified"].filter { response.fields[$0] != nil }
        let isEqual = received.allSatisfy { response.fields[$0] == stored.response.fields[$0] }
        let length = response.fields["content-length"]
        let hasLength = length.map { $0 == "\(stored.response.body.utf8.count)" } ?? true
        if !isEqual || !hasLength {
            // It counts as stale from now on, which it may be already, or goes.
            let gone = world.filter { $0 != stored }
            // Known: a stored response of another status than 200 is left as it is. See HeadOfOtherStatusTests.
            let isLeft = stored.response.status != 200 || !stored.isFresh(at: call.responseTime)
            return isLeft ? [gone, world] : [gone]
        }
        let forms = self.updated(stored, by: response, call)
        var updated = replacing(stored, by: forms, in: world, request)
        // Which requests select it is not known to a cache that has not kept its request; this one lets it go.
        if forms.contains(where: { $0.varyNames != stored.varyNames }) { updated.append(world.filter { $0 != stored }) }
        // If there is nothing to compare, the RFC wants the update; this cache does not trust in it. The RFC does
        // not say that a 200 tells anything of another status.
        if stored.response.status != 200 { return updated + [world, world.filter { $0 != stored }] }
        return received.isEmpty ? updated + [world] : updated
    }
}

extension PlainRequest {
    /// The request as a GET, which a revalidation in the background may be.
    var asGet: PlainRequest {
        var request = self
        request.method = "GET"
        return request
    }
}
