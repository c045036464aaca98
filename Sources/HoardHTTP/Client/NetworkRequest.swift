// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import NIOCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A request to a ``NetworkManaging``.
///
/// ```swift
/// let users = NetworkRequest(.get, "https://example.com/users", queryItems: [.init("page", "2")], token: token)
/// let change = try NetworkRequest.json(.patch, "https://example.com/users/42", body: ["name": "Alan"], token: token)
/// ```
public struct NetworkRequest: Sendable {
    /// A name and its value in the query of a URL.
    public struct QueryItem: Hashable, Sendable {
        /// The name, not percent-encoded.
        public var name: String
        /// `nil`: the name stands alone, without an equals sign.
        public var value: String?

        /// Creates an item of a name and a value.
        public init(_ name: String, _ value: String?) {
            self.name = name
            self.value = value
        }
    }

    /// The method, such as `.get`.
    public var method: HTTPRequest.Method

    /// An absolute `http` or `https` URL.
    public var url: String

    /// The items that are added to the query of ``url``. All characters except letters, digits and `-._~` are percent-encoded.
    public var queryItems: [QueryItem]

    /// The fields of the request.
    public var headers: HTTPFields

    /// A bearer token. It is sent as `Authorization` and replaces such a field in ``headers`` ([RFC 6750
    /// §2.1](https://www.rfc-editor.org/rfc/rfc6750#section-2.1)).
    public var token: String?

    /// The content; `nil` for none. GET, HEAD and TRACE have none.
    public var body: Data?

    /// The options of the request: its use of the cache, redirects and its timeout, which is 30 seconds by default.
    public var options = RequestOptions(timeout: .seconds(30))

    /// Creates a request; change ``options`` afterwards.
    public init(
        _ method: HTTPRequest.Method,
        _ url: String,
        queryItems: [QueryItem] = [],
        headers: HTTPFields = [:],
        token: String? = nil,
        body: Data? = nil
    ) {
        self.method = method
        self.url = url
        self.queryItems = queryItems
        self.headers = headers
        self.token = token
        self.body = body
    }

    /// Creates a request whose content is `body` in JSON. `Content-Type` is `application/json` unless `headers` have another one.
    ///
    /// - Throws: ``NetworkError`` with the code `encodingFailed`.
    public static func json(
        _ method: HTTPRequest.Method,
        _ url: String,
        body: some Encodable,
        encoder: JSONEncoder = JSONEncoder(),
        queryItems: [QueryItem] = [],
        headers: HTTPFields = [:],
        token: String? = nil
    ) throws(NetworkError) -> NetworkRequest {
        let data: Data
        do {
            data = try encoder.encode(body)
        } catch {
            throw NetworkError(encoding: error)
        }
        var headers = headers
        headers[.contentType] = headers[.contentType] ?? "application/json"
        return NetworkRequest(method, url, queryItems: queryItems, headers: headers, token: token, body: data)
    }
}

extension NetworkRequest {
    /// The request as HTTP has it, with the URL in its normal form.
    ///
    /// - Throws: ``NetworkError`` if it is not one that can be sent.
    func head() throws(NetworkError) -> HTTPRequest {
        guard body == nil || ![.get, .head, .trace].contains(method) else {
            throw NetworkError(.bodyInGet, "A \(method) request has no content.")
        }
        var reference = URIReference(url)
        if !queryItems.isEmpty {
            let query = queryItems.map(\.encoded).joined(separator: "&")
            reference.query = reference.query.map { $0.isEmpty ? query : "\($0)&\(query)" } ?? query
        }
        guard let target = TargetURI(reference) else {
            throw NetworkError(.invalidURL, "The request has no usable http or https URL.")
        }
        var request = HTTPRequest(method: method, scheme: nil, authority: nil, path: nil, headerFields: headers)
        request.setTarget(target)
        if let token {
            guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw NetworkError(.invalidToken, "The bearer token is empty or holds characters that cannot be sent.")
            }
            request.headerFields[.authorization] = "Bearer \(token)"
        }
        return request
    }

    var content: HTTPBody {
        body.map { HTTPBody(ByteBuffer(bytes: $0)) } ?? .empty
    }

    /// Whether a cache may be asked for the response: [RFC 9110 §9.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.3).
    var isLookedUp: Bool { method == .get || method == .head }
}

extension NetworkRequest.QueryItem {
    fileprivate var encoded: String {
        Self.encoded(name) + (value.map { "=" + Self.encoded($0) } ?? "")
    }

    private static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte.isUnreservedInURI { bytes.append(byte) } else { bytes.append(percentEncoded: byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
