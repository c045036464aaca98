// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import Synchronization

@testable import HoardHTTP
@testable import HoardTransports

/// The response that a request has got.
struct FuzzedResponse: Equatable, Sendable {
    struct Answer: Equatable, Sendable {
        var status: Int
        var fields: HTTPFields
        /// `nil` if it did not come to its end.
        var content: ByteBuffer?
        var trailers: HTTPFields?
    }

    struct Failure: Error, Equatable {
        var description: String
    }

    let method: HTTPRequest.Method
    var interim: [HTTPResponse] = []
    /// `nil` as long as it waits.
    var result: Result<Answer, Failure>?
}

/// An exchange whose response is read to its end.
final class FuzzedExchange: Sendable {
    let exchange: ClientExchange
    private let state: Mutex<FuzzedResponse>

    init(_ method: HTTPRequest.Method, content: String) throws {
        let request = HTTPRequest(method: method, scheme: "http", authority: "a", path: "/p", headerFields: [.accept: "b"])
        exchange = ClientExchange(
            OutgoingRequest(request, body: HTTPBody(content), to: try Destination(of: request)),
            wantsInterimResponses: true,
            asTransportError: { TransportError(.failed, "\($0)", underlyingError: $0) }
        )
        state = Mutex(FuzzedResponse(method: method))
    }

    var response: FuzzedResponse { state.withLock { $0 } }

    func read() async {
        do {
            while true {
                switch try await exchange.nextHead() {
                case .interim(let head): state.withLock { $0.interim.append(head) }
                case .final(let response): return await read(response)
                }
            }
        } catch {
            state.withLock { $0.result = .failure(.init(description: "\(error)")) }
        }
    }

    private func read(_ response: TransportResponse) async {
        let content = try? await response.body.collect(upTo: 1 << 20)
        let answer = FuzzedResponse.Answer(
            status: response.head.status.code,
            fields: response.head.headerFields,
            content: content,
            trailers: response.body.trailers
        )
        state.withLock { $0.result = .success(answer) }
    }
}
