// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import HoardTransports
import NIOCore
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A way to the client of a behaviour test.
protocol BehaviourRoute: Sendable {
    init(_ client: CachingClient)

    /// Sends a request and reads the whole response. An origin that cannot be reached is a 502, as a proxy answers it.
    func reply(to request: HTTPRequest, content: String) async throws -> ScriptedReply
}

/// The client itself.
struct ClientRoute: BehaviourRoute {
    private let client: CachingClient

    init(_ client: CachingClient) {
        self.client = client
    }

    func reply(to request: HTTPRequest, content: String) async throws -> ScriptedReply {
        let interim = Mutex<[(Int, ScriptedFields)]>([])
        var options = RequestOptions()
        options.followsRedirects = false
        options.repeatsLostRequests = false
        options.onInterimResponse = { head in interim.withLock { $0.append((head.status.code, ScriptedFields(head.headerFields))) } }
        let response: ClientResponse
        do {
            response = try await client.send(request, body: HTTPBody(content), options: options)
        } catch {
            return ScriptedReply(status: 502)
        }
        var reply = ScriptedReply(status: response.head.status.code, fields: ScriptedFields(response.head.headerFields))
        reply.content = String(buffer: try await response.body.collect(upTo: 1 << 20))
        reply.interim = interim.withLock { $0 }
        return reply
    }
}

/// A session of Foundation's that the client answers.
struct SessionRoute: BehaviourRoute {
    private let session: URLSession

    init(_ client: CachingClient) {
        session = URLSession(configuration: .hoard(client: client))
    }

    func reply(to request: HTTPRequest, content: String) async throws -> ScriptedReply {
        guard let url = URL(string: "http://\(request.authority ?? "")\(request.path ?? "")") else { throw UnreadableScript("The path is none.") }
        var urlRequest = URLRequest(url: url)
        urlRequest.httpMethod = request.method.rawValue
        urlRequest.httpShouldHandleCookies = false
        for line in ScriptedFields(request.headerFields).lines { urlRequest.addValue(line.value, forHTTPHeaderField: line.name) }
        if !content.isEmpty { urlRequest.httpBody = Data(content.utf8) }
        let (data, response): (Data, URLResponse)
        do {
            (data, response) = try await session.data(for: urlRequest)
        } catch let error as URLError where error.code != .timedOut {
            return ScriptedReply(status: 502)
        }
        guard let head = response as? HTTPURLResponse else { throw UnreadableScript("The response is not HTTP's.") }
        var reply = ScriptedReply(status: head.statusCode)
        for (name, value) in head.allHeaderFields { reply.fields.append("\(name)", "\(value)") }
        reply.content = String(decoding: data, as: UTF8.self)
        return reply
    }
}
