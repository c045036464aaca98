// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import Synchronization

extension HTTPCache {
    /// Completes a response whose head has been sent, if a segment of its body leaves the stores before its turn. It requests the rest with
    /// `If-Range`, so that it is the rest of the same response ([RFC 9110 §13.1.5](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.5)).
    ///
    /// It fails if the response has no strong validator, or its client wants no request to be forwarded.
    func refetch(_ stored: StoredResponse, for call: Call) -> StoredContent.Refetch {
        { [self] range in
            let client = ClientRequest(call.request, hasContent: false, mode: call.mode)
            guard !client.wantsNoForwarding, StrongValidator(of: stored.head.headerFields) != nil else { throw HTTPBodyIncompleteError() }
            let part = RangeRequest.Part.from(range.lowerBound, last: range.upperBound - 1)
            counters.withLock { $0.originRequests += 1 }
            let response = try await call.transport.send(
                client.request(asking: .completion(part), about: stored),
                body: call.body,
                onInterimResponse: nil
            )
            guard let received = PartialContent(response.head, bodyLength: response.body.length), received.range == range,
                received.mayCombine(with: stored.head, new: response.head, completeLength: stored.body.completeLength)
            else { throw HTTPBodyIncompleteError() }
            return response.body
        }
    }
}
