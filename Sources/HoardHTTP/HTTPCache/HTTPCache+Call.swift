// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import NIOCore

extension HTTPCache {
    /// A request to the cache, as its caller gives it.
    package struct Request: Sendable {
        let head: HTTPRequest
        let target: TargetURI?
        let body: HTTPBody
        let mode: RequestCacheMode
        let partition: String?
        let keepsInMemoryOnly: Bool
        let policy: CompiledHTTPCachePolicy?
        let mayRefreshInBackground: Bool
        let wantsEarlyHints: Bool
        let decodesContent: Bool

        /// - Parameters:
        ///   - head: A head with scheme, authority and path.
        ///   - target: The request's, if the caller has made it; `nil`: it is made of the head.
        ///   - body: The request's content. It is not read unless the request is forwarded, or is a QUERY.
        ///   - mode: How the request uses the cache.
        ///   - partition: Whose request it is. `nil`: the one of the cache's configuration.
        ///   - keepsInMemoryOnly: Whether the response is kept in memory only.
        ///   - policy: The site owner's policy; `nil` for none.
        ///   - mayRefreshInBackground: Whether the transport can be asked when the answer has been given. If not, a
        ///     response that `stale-while-revalidate` would permit is validated before it is served.
        ///   - wantsEarlyHints: Whether the client is told the links of a stored response before the origin is asked.
        ///   - decodesContent: Whether the caller undoes codings, so that it has no use for parts of coded content.
        package init(
            _ head: HTTPRequest,
            target: TargetURI? = nil,
            body: HTTPBody = .empty,
            mode: RequestCacheMode = .default,
            partition: String? = nil,
            keepsInMemoryOnly: Bool = false,
            policy: CompiledHTTPCachePolicy? = nil,
            mayRefreshInBackground: Bool = true,
            wantsEarlyHints: Bool = false,
            decodesContent: Bool = false
        ) {
            self.head = head
            self.target = target ?? TargetURI(head)
            self.body = body
            self.mode = mode
            self.partition = partition
            self.keepsInMemoryOnly = keepsInMemoryOnly
            self.policy = policy
            self.mayRefreshInBackground = mayRefreshInBackground
            self.wantsEarlyHints = wantsEarlyHints
            self.decodesContent = decodesContent
        }
    }

    /// A request to the cache, with all that is needed to answer it.
    struct Call: Sendable {
        /// In normal form, so that the response to one spelling is never stored for another that the origin reads
        /// differently.
        let request: HTTPRequest
        private(set) var body: HTTPBody
        let mode: RequestCacheMode
        let space: Space
        /// The site owner's policy; `nil` for none.
        let policy: CompiledHTTPCachePolicy?
        /// The key of its URI, without the parts that the policy ignores, and of its content if it is a QUERY.
        private(set) var key: HTTPCacheKey
        /// Whether the transport can be asked when the answer has been given.
        let mayRefreshInBackground: Bool
        let wantsEarlyHints: Bool
        let decodesContent: Bool
        /// The forms of content that it accepts; `nil`: content is served as it came.
        var coding: CodingSelection? { sharedCoding?.selection }
        /// The same, in one word: most calls have none.
        fileprivate(set) var sharedCoding: SharedCodingSelection?
        /// Asks the origin. Set before anything does.
        var transport: any Transport = NoTransport()
        var onInterimResponse: InterimResponseHandler?
        /// The part that was done before it was parsed; `nil`: nothing was.
        var early: EarlyMiss?

        /// Whether it has content that the key says nothing of.
        var hasContentBesideKey: Bool { request.method == .query ? !key.isQuery : body.length != 0 }

        /// Whether it is a QUERY whose content has to be read before it has a key.
        private(set) var lacksQueryContent = false

        /// Sets the key of a QUERY, if its content is at hand and no longer than that.
        fileprivate mutating func setQueryKey(maximumByteCount: Int) {
            guard let content = body.bytesAtHand else {
                lacksQueryContent = body.length.map { $0 <= maximumByteCount } ?? true
                return
            }
            if content.readableBytes <= maximumByteCount { key = key.queryKey(request, content: content) }
        }

        /// Reads the content of a QUERY, if it is no longer than that. Suspends.
        mutating func readQueryContent(maximumByteCount: Int) async throws {
            body = try await body.withBytesAtHand(upTo: maximumByteCount)
            setQueryKey(maximumByteCount: maximumByteCount)
            lacksQueryContent = false
        }

        /// Whether trailers can be sent to the client: [RFC 9110 §10.1.4](https://www.rfc-editor.org/rfc/rfc9110#section-10.1.4).
        var acceptsTrailers: Bool {
            request.headerFields.lines(of: .te).contains { line in
                ListMembers(line).contains { $0.bytes.lowercasedEquals(Array("trailers".utf8)) }
            }
        }
    }

    /// - Returns: `nil` if the request has no `http` or `https` URI.
    func call(_ request: Request) -> Call? {
        guard let target = request.target else { return nil }
        var head = request.head
        head.setTarget(target)
        request.policy?.policy.normalizations.apply(to: &head.headerFields)
        var coding: CodingSelection?
        if rules.codings != nil { CodingSelection.addStoredTags(toIfMatchOf: &head.headerFields) }
        if let codings = rules.codings, [.get, .head, .query].contains(head.method) {
            coding = CodingSelection(codings, encodes: request.policy?.policy.codesContent ?? true, &head.headerFields)
        }
        let space = space(partition: request.partition, isMemoryOnly: request.keepsInMemoryOnly)
        let key = HTTPCacheKey(scope: scope(for: head, in: space), targetURI: target.keyURI(request.policy))
        coding?.takeDictionary(from: &head.headerFields, dictionaries, for: key)
        var call = Call(
            request: head,
            body: request.body,
            mode: request.mode,
            space: space,
            policy: request.policy,
            key: key,
            mayRefreshInBackground: request.mayRefreshInBackground,
            wantsEarlyHints: request.wantsEarlyHints,
            decodesContent: request.decodesContent
        )
        call.sharedCoding = coding.map { SharedCodingSelection($0) }
        if head.method == .query { call.setQueryKey(maximumByteCount: configuration.maximumQueryBytes) }
        return call
    }

    func machine(for call: Call) -> HTTPCacheStateMachine {
        var machine = HTTPCacheStateMachine(
            request: call.request,
            hasContent: call.hasContentBesideKey,
            rules: rules,
            requestMode: call.mode,
            policy: call.policy
        )
        machine.mayRefreshInBackground = call.mayRefreshInBackground
        machine.sharedCoding = call.sharedCoding
        machine.decodesContent = call.decodesContent
        return machine
    }
}

extension TargetURI {
    /// The URI as keys have it under a policy.
    package func keyURI(_ policy: CompiledHTTPCachePolicy?) -> String {
        guard let policy, !policy.keepsQuery, query != nil else { return description }
        return policy.keyURI(description)
    }
}

/// Stands where no transport is ever asked.
private struct NoTransport: Transport {
    func send(_ request: HTTPRequest, body: HTTPBody, onInterimResponse: InterimResponseHandler?) async throws(TransportError) -> TransportResponse {
        throw TransportError(.failed, "There is no transport.")
    }
}
