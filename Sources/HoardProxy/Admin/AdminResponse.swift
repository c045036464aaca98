// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The reason why a request to the admin server is refused.
struct AdminRefusal: Error, Sendable {
    let status: HTTPResponse.Status
    /// One sentence a person can act on.
    let message: String
    var fields = HTTPFields()

    init(_ status: HTTPResponse.Status, _ message: String, fields: HTTPFields = [:]) {
        self.status = status
        self.message = message
        self.fields = fields
    }
}

extension HTTPServerResponse {
    /// An answer of the admin server: of that moment, for this server's own page only.
    static func admin(
        _ status: HTTPResponse.Status = .ok,
        contentType: String = "application/json",
        fields: HTTPFields = [:],
        body: HTTPBody
    ) -> HTTPServerResponse {
        var head = HTTPResponse(status: status, headerFields: fields)
        head.headerFields[.contentType] = contentType
        head.headerFields[.cacheControl] = "no-store"
        head.headerFields[.xContentTypeOptions] = "nosniff"
        for (name, value) in [("Cross-Origin-Resource-Policy", "same-origin"), ("Referrer-Policy", "no-referrer")] {
            if let name = HTTPField.Name(name) { head.headerFields[name] = value }
        }
        return HTTPServerResponse(head: head, body: body)
    }

    static func admin(_ refusal: AdminRefusal) -> HTTPServerResponse {
        admin(refusal.status, fields: refusal.fields, body: HTTPBody(AdminJSON.text(["error": refusal.message])))
    }

    static func admin(_ status: HTTPResponse.Status = .ok, json value: some Encodable) -> HTTPServerResponse {
        admin(status, body: HTTPBody(AdminJSON.text(value)))
    }
}
