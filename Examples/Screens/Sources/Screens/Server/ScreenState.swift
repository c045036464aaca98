// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension HTTPField.Name {
    /// Names the state of a screen, in requests and responses. The client's is the same by default.
    static var screenHash: Self {
        guard let name = HTTPField.Name("beagle-hash") else { preconditionFailure("The name of the field is a token.") }
        return name
    }
}

/// One state of a screen: its bytes, and how a response says which state it is and for how long it may be kept.
struct ScreenState: Sendable {
    let data: Data
    /// For example `max-age=60`. `nil`: the response says nothing, and the client decides.
    let cacheControl: String?
    /// Whether the response names the state by hash, beside the entity tag that every response has.
    let hasHash: Bool
    /// The request fields on which the answer depends.
    let vary: String?
    /// The first half of the SHA-256 of the bytes.
    let hash: String

    init(_ data: Data, cacheControl: String?, hasHash: Bool = true, vary: String? = nil) {
        self.data = data
        self.cacheControl = cacheControl
        self.hasHash = hasHash
        self.vary = vary
        hash = SHA256.hash(data: data).prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private var entityTag: String { "\"\(hash)\"" }

    /// The answer to a request: the screen, or 304 if the request names the state it is in.
    func response(to request: HTTPFields) -> Response {
        // A 304 carries the fields about caching that a 200 would carry: RFC 9110 §15.4.5.
        var fields: HTTPFields = [.eTag: entityTag]
        fields[.cacheControl] = cacheControl
        fields[.vary] = vary
        if hasHash { fields[.screenHash] = hash }
        if isNamed(by: request) { return Response(status: .notModified, headers: fields) }
        fields[.contentType] = "application/json"
        return Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }

    /// Whether the request has this state already.
    private func isNamed(by request: HTTPFields) -> Bool {
        if hasHash, request[.screenHash] == hash { return true }
        // The weak comparison of RFC 9110 §8.8.3.2; an entity tag has no comma here.
        return request[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }.contains { tag in
            let tag = tag.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
            return tag == "*" || (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == entityTag
        }
    }
}
