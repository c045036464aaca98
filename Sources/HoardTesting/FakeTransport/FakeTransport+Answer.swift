// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import HoardHTTP
internal import NIOCore

extension FakeTransport {
    /// The origin's answer: a response, or none.
    public struct Answer: Sendable {
        let result: Result<TransportResponse, TransportError>
        var interimResponses: [HTTPResponse] = []

        private init(_ result: Result<TransportResponse, TransportError>) {
            self.result = result
        }

        /// A response with any body.
        public static func response(_ head: HTTPResponse, body: HTTPBody = .empty) -> Answer {
            Answer(.success(TransportResponse(head: head, body: body)))
        }

        /// A response whose body is at hand when its head arrives.
        public static func text(_ body: String = "", status: HTTPResponse.Status = .ok, fields: HTTPFields = [:]) -> Answer {
            response(HTTPResponse(status: status, headerFields: fields), body: HTTPBody(body))
        }

        /// A response whose body arrives in parts.
        ///
        /// - Parameters:
        ///   - parts: The parts. The consumer gets one at a time.
        ///   - length: The length that is announced, true or not. `nil`: none.
        ///   - error: Thrown after the last part. `nil`: the body ends there.
        public static func parts(
            _ parts: [String],
            length: Int? = nil,
            breakingOffWith error: TransportError? = nil,
            status: HTTPResponse.Status = .ok,
            fields: HTTPFields = [:]
        ) -> Answer {
            let body = HTTPBody(BodyParts(parts: parts.map { ByteBuffer(string: $0) }, error: error), length: length)
            return response(HTTPResponse(status: status, headerFields: fields), body: body)
        }

        /// The same answer with an interim response before it, behind those that it has already.
        public func after(_ interim: HTTPResponse) -> Answer {
            var answer = self
            answer.interimResponses.append(interim)
            return answer
        }

        /// No response.
        public static func failure(_ error: TransportError) -> Answer {
            Answer(.failure(error))
        }
    }
}

/// Parts that are there from the start, perhaps with an error behind them.
private struct BodyParts: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let parts: [ByteBuffer]
    let error: TransportError?

    struct AsyncIterator: AsyncIteratorProtocol {
        var parts: ArraySlice<ByteBuffer>
        var error: TransportError?

        mutating func next() async throws -> ByteBuffer? {
            try await next(isolation: nil)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            if let part = parts.popFirst() { return part }
            guard let thrown = error else { return nil }
            error = nil
            throw thrown
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(parts: parts[...], error: error)
    }
}
