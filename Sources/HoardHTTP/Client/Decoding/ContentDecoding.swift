// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardCodings
internal import NIOCore

/// The settings for content codings in a ``CachingClient``, which requests and decodes them: [RFC 9110
/// §8.4](https://www.rfc-editor.org/rfc/rfc9110#section-8.4).
///
/// A request that says nothing of codings gets an `Accept-Encoding` with those that this build can decode: gzip and deflate, and on Linux br and zstd with the traits
/// `Brotli` and `Zstandard`. The content of its response is decoded while it is read, and the fields that describe the
/// coded bytes are left out of the head. The stored content stays as it came.
public struct ContentDecoding: Hashable, Sendable {
    /// Whether requests ask for codings, and content is decoded. A request with its own `Accept-Encoding` gets the content as it comes. Default:
    /// `true`.
    public var isEnabled = true

    /// The greatest length of decoded content; reading more of it is an error. Default: 1 GiB.
    public var maximumBytes = 1 << 30

    /// The most decoded bytes for each received byte, once the content has more than a mebibyte. Honest content does not come near 2000. Reading more
    /// of it is an error. Default: 2000.
    public var maximumRatio = 2000

    /// Whether the client keeps content that a response offers as a dictionary, and offers the dictionary to its server with later requests, so that
    /// the server sends only the differences ([RFC 9842](https://www.rfc-editor.org/rfc/rfc9842)). Up to 8 MiB in memory for a client. Over `https` and
    /// to this machine only; with the trait `Zstandard` on Linux. Default: `true`.
    public var usesDictionaries = true

    /// Creates settings with the usual limits.
    public init(isEnabled: Bool = true) {
        self.isEnabled = isEnabled
    }
}

extension ContentDecoding {
    /// Whether the response to a request is to be decoded, unless it is a part: not if the request names the codings that it accepts. O(*n*) in the number of
    /// fields.
    func decodes(_ requestFields: HTTPFields) -> Bool { isEnabled && !requestFields.contains(.acceptEncoding) }

    /// The codings of a response that can be undone; `nil` if there are none, or others among them.
    private func codings(of head: HTTPResponse) -> [ContentCoding]? {
        guard head.status != .partialContent, head.status != .notModified, let codings = head.headerFields.contentCodings, !codings.isEmpty else {
            return nil
        }
        return codings
    }

    var limits: ContentDecoder.Limits { ContentDecoder.Limits(maximumBytes: max(0, maximumBytes), maximumRatio: max(1, maximumRatio)) }

    /// Undoes the codings of a response to a request that asked for them. The content is decoded while it is read, a short one at once.
    func decode(_ response: inout HTTPCacheResponse, to method: HTTPRequest.Method) {
        guard method != .head, response.body.length != 0, let codings = codings(of: response.head) else { return }
        let decoded = DecodedBody(response.body, codings, limits)
        response.head.headerFields = response.head.headerFields.removingFieldsOfCodedContent()
        if let bytes = decoded.bytesAtHand {
            response.body = HTTPBody(bytes)
            response.head.headerFields.append(HTTPField(name: .contentLength, value: String(bytes.readableBytes)))
        } else {
            let coded = response.body
            response.body = HTTPBody(decoded, length: nil, trailers: { coded.trailers })
        }
    }
}
