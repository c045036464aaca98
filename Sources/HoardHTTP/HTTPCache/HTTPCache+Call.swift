// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension HTTPCache {
    /// A request to the cache, with all that is needed to answer it.
    struct Call: Sendable {
        /// In normal form, so that what one spelling gets is never stored for another that the origin reads differently.
        let request: HTTPRequest
        let body: HTTPBody
        let mode: RequestCacheMode
        let transport: any Transport
        let onInterimResponse: InterimResponseHandler?
        let space: Space
        /// What the owner of the site wants; `nil` for nothing.
        let policy: CompiledHTTPCachePolicy?
        /// The key of its URI, without what the policy ignores.
        let key: HTTPCacheKey
        /// Whether the transport can be asked when the answer has been given.
        var mayRefreshInBackground = true

        /// Whether trailers can be sent to the client: [RFC 9110 §10.1.4](https://www.rfc-editor.org/rfc/rfc9110#section-10.1.4).
        var acceptsTrailers: Bool {
            request.headerFields.lines(of: .te).contains { line in
                ListMembers(line).contains { $0.bytes.lowercasedEquals(Array("trailers".utf8)) }
            }
        }
    }

    /// - Parameter target: The request's.
    func call(
        _ request: HTTPRequest,
        to target: TargetURI,
        body: HTTPBody = .empty,
        mode: RequestCacheMode = .default,
        through transport: any Transport,
        onInterimResponse: InterimResponseHandler? = nil,
        in space: Space,
        policy: CompiledHTTPCachePolicy?
    ) -> Call {
        var request = request
        request.setTarget(target)
        let key = HTTPCacheKey(scope: scope(for: request, in: space), targetURI: target.keyURI(policy))
        return Call(
            request: request,
            body: body,
            mode: mode,
            transport: transport,
            onInterimResponse: onInterimResponse,
            space: space,
            policy: policy,
            key: key
        )
    }

    func machine(for call: Call) -> HTTPCacheStateMachine {
        var machine = HTTPCacheStateMachine(
            request: call.request,
            hasContent: call.body.length != 0,
            rules: rules,
            requestMode: call.mode,
            policy: call.policy
        )
        machine.mayRefreshInBackground = call.mayRefreshInBackground
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
