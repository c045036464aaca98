// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO
internal import Logging
internal import NIOHTTP1

/// Answers one request to the proxy at a time, any number of them in parallel.
struct ProxyHandler: Sendable {
    let origin: Origin
    let name: String
    let cache: HTTPCache
    let transport: any Transport
    let logger: Logger

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        var head = request.head
        if ForwardedRequest.countHop(&head) == .answer { return answerHere(head) }
        let forwarded = ForwardedRequest.make(from: head, to: origin, version: "\(request.version.major).\(request.version.minor)", name: name)
        if request.body.length == 0, let response = cache.respondFromMemory(to: forwarded) { return answer(response) }
        do {
            let response = try await cache.respond(
                to: forwarded,
                body: request.body,
                through: transport,
                onInterimResponse: request.sendInterimResponse
            )
            return answer(response)
        } catch {
            return failure(error)
        }
    }

    private func answer(_ response: HTTPCacheResponse) -> HTTPServerResponse {
        var head = response.head
        head.headerFields.append(HTTPField(name: .via, value: "1.1 \(name)"))
        return HTTPServerResponse(head: head, body: response.body)
    }

    /// The answer to a request that asks for a reply from whoever it has reached.
    private func answerHere(_ request: HTTPRequest) -> HTTPServerResponse {
        guard request.method == .options else {
            return ErrorPage.response(.methodNotAllowed, "This proxy does not answer TRACE.\n", cacheStatus: nil)
        }
        return HTTPServerResponse(head: HTTPResponse(status: .noContent), body: .empty)
    }

    private func failure(_ error: HTTPCacheError) -> HTTPServerResponse {
        guard let transportError = error.transportError else {
            return ErrorPage.response(.badRequest, "\(error.message)\n", cacheStatus: error.cacheStatus)
        }
        if let bodyError = transportError.underlyingError as? RequestBodyError {
            let status: HTTPResponse.Status = bodyError.code == .timedOut ? .requestTimeout : .badRequest
            return ErrorPage.response(status, "\(bodyError)\n", cacheStatus: error.cacheStatus)
        }
        // A client that went away is no event.
        if transportError.code != .cancelled {
            logger.warning("The origin did not answer.", metadata: ["reason": "\(transportError.code)", "origin": "\(origin.authority)"])
        }
        // What is stored must not be used without the origin's word: RFC 9111 §5.2.2.2.
        let isGatewayTimeout = transportError.code == .timedOut || error.isStaleProhibited
        let status: HTTPResponse.Status = isGatewayTimeout ? .gatewayTimeout : .badGateway
        return ErrorPage.response(status, "The proxy got no answer from the origin: \(error.message)\n", cacheStatus: error.cacheStatus)
    }
}

/// A response that the proxy makes itself, in plain text, never to be stored.
enum ErrorPage {
    static func response(_ status: HTTPResponse.Status, _ text: String, cacheStatus: String?) -> HTTPServerResponse {
        var head = HTTPResponse(status: status)
        head.headerFields[.contentType] = "text/plain; charset=utf-8"
        head.headerFields[.cacheControl] = "no-store"
        if let cacheStatus { head.headerFields.append(HTTPField(name: .cacheStatus, value: cacheStatus)) }
        return HTTPServerResponse(head: head, body: HTTPBody(text))
    }
}
