// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardCodings

/// Asks for the content codings that can be decoded, in requests that say nothing of them.
///
/// That is done behind the cache, so that a hit costs nothing for it. All requests of a client that say nothing get the same field, so they select the same
/// variants. Of a range of coded content nothing can be decoded, so a request for one asks for none.
struct CodingTransport: Transport {
    private static let accepted = ContentCoding.available.map(\.name).joined(separator: ", ")

    private let base: any Transport

    init(_ base: any Transport) {
        self.base = base
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        var request = request
        if !request.headerFields.has(.acceptEncoding) {
            let hasRange = request.headerFields.has(.range)
            request.headerFields.append(HTTPField(name: .acceptEncoding, value: hasRange ? "identity" : Self.accepted))
        }
        return try await base.send(request, body: body, onInterimResponse: onInterimResponse)
    }
}
