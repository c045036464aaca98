// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardCodings
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Asks for the content codings that can be decoded, in requests that say nothing of them, and undoes those that need a dictionary.
///
/// That is done behind the cache, so that a hit costs nothing for it. All requests of a client that say nothing get the same field, so they select the same
/// variants. Of a range of coded content nothing can be decoded, so a request for one asks for none.
///
/// Content that is compressed with a dictionary is stored decoded, since the dictionary may be gone when it is needed again.
final class CodingTransport: Transport {
    private static let hasDictionaries = ContentCoding.available.contains(.zstandard)
    private static let codings = ContentCoding.available.map(\.name).joined(separator: ", ")

    private let base: any Transport
    private let dictionaries: ClientDictionaries
    private let clock: any WallClock
    private let partition: String?
    private let decoding: ContentDecoding

    /// - Parameters:
    ///   - dictionaries: The client's.
    ///   - partition: Whose requests these are.
    init(_ base: any Transport, _ dictionaries: ClientDictionaries, clock: any WallClock, partition: String?, _ decoding: ContentDecoding) {
        self.base = base
        self.dictionaries = dictionaries
        self.clock = clock
        self.partition = partition
        self.decoding = decoding
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        guard !request.headerFields.has(.acceptEncoding) else {
            return try await base.send(request, body: body, onInterimResponse: onInterimResponse)
        }
        var request = request
        if request.headerFields.has(.range) {
            request.headerFields.append(HTTPField(name: .acceptEncoding, value: "identity"))
            return try await base.send(request, body: body, onInterimResponse: onInterimResponse)
        }
        // Most clients have none, and most responses are none.
        if !dictionaries.isUnused { return try await offerDictionary(request, body, onInterimResponse) }
        request.headerFields.append(HTTPField(name: .acceptEncoding, value: Self.codings))
        return remembering(try await base.send(request, body: body, onInterimResponse: onInterimResponse), to: request)
    }

    /// Sends a request, and says which dictionary there is for it.
    private func offerDictionary(
        _ request: HTTPRequest,
        _ body: HTTPBody,
        _ onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        let uri = uriOfDictionaries(request)
        let offered = uri.flatMap { dictionaries.best(for: $0, partition: partition, now: clock.now()) }
        var offering = request
        offering.headerFields.append(HTTPField(name: .acceptEncoding, value: offered == nil ? Self.codings : "\(Self.codings), dcz"))
        offered?.addFields(to: &offering.headerFields)
        var response = try await base.send(offering, body: body, onInterimResponse: onInterimResponse)
        if let uri, let offered, response.head.status != .partialContent { undo(offered, uri, in: &response) }
        return remembering(response, to: request)
    }

    private func remembering(_ response: TransportResponse, to request: HTTPRequest) -> TransportResponse {
        guard response.head.status == .ok, response.head.headerFields.has(.useAsDictionary), let uri = uriOfDictionaries(request) else {
            return response
        }
        var response = response
        remember(&response, uri)
        return response
    }

    /// The URI of a request that may use dictionaries; `nil` where a third party on the way could read or change them
    /// ([RFC 9842 §9](https://www.rfc-editor.org/rfc/rfc9842#section-9)).
    private func uriOfDictionaries(_ request: HTTPRequest) -> String? {
        guard decoding.usesDictionaries, request.method == .get, Self.hasDictionaries, !request.headerFields.has(.availableDictionary) else {
            return nil
        }
        if request.scheme?.lowercased() != "https" {
            let host = (request.authority ?? "").lowercased()
            guard ["localhost", "127.0.0.1", "[::1]"].contains(where: { host == $0 || host.hasPrefix($0 + ":") }) else { return nil }
        }
        return TargetURI(request)?.description
    }

    /// Undoes the coding with the dictionary that was offered, if there is one.
    private func undo(_ offered: CompressionDictionary, _ uri: String, in response: inout TransportResponse) {
        let names = response.head.headerFields[values: .contentEncoding]
        guard names.count == 1, names[0].lowercased() == CompressionDictionary.codingName.description else { return }
        let (coded, dictionaries, partition) = (response.body, dictionaries, partition)
        let decoded = DictionaryCodedBody(coded, offered, decoding.limits) { dictionaries.remove(offered, of: uri, partition: partition) }
        response.head.headerFields = response.head.headerFields.removingFieldsOfCodedContent()
        response.body = HTTPBody(decoded, length: nil, trailers: { coded.trailers })
    }

    /// Remembers the content when it has arrived, if its response says that it is a dictionary.
    private func remember(_ response: inout TransportResponse, _ uri: String) {
        guard let use = DictionaryUse(response.head.headerFields, of: uri) else { return }
        let now = clock.now()
        let freshness = ResponseFreshness(of: response.head, requestTime: now, responseTime: now, rules: HTTPCacheRules(mode: .private))
        let freshUntil = now.addingTimeInterval(freshness.timeToLive(at: now))
        guard freshUntil > now, !freshness.cacheControl.noStore, let codings = response.head.headerFields.contentCodings else { return }
        let (dictionaries, partition) = (dictionaries, partition)
        let add = { @Sendable (content: ByteBuffer) in
            guard let plain = try? content.decoded(codings, ContentDecoder.Limits(maximumBytes: dictionaries.maximumLength)) else { return }
            let held = ClientDictionaries.Held(dictionary: CompressionDictionary(Array(buffer: plain), use), freshUntil: freshUntil)
            dictionaries.add(held, of: uri, partition: partition)
        }
        let body = response.body
        if let content = body.bytesAtHand { return content.readableBytes <= dictionaries.maximumLength ? add(content) : () }
        let observed = ObservedBody(body: body, maximumLength: dictionaries.maximumLength, onEnd: add)
        response.body = HTTPBody(observed, length: body.length, trailers: { body.trailers })
    }
}

extension CompressionDictionary {
    /// Says that a client has it.
    fileprivate func addFields(to fields: inout HTTPFields) {
        fields.append(HTTPField(name: .availableDictionary, value: ":\(Data(digest).base64EncodedString()):"))
        if let id = use.id { fields.append(HTTPField(name: .dictionaryID, value: id)) }
    }
}
