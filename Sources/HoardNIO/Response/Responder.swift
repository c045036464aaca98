// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardMessages
internal import HoardWire
internal import NIOCore
internal import NIOHTTP1

/// Calls the handler and writes what it returns.
struct Responder: Sendable {
    typealias Writer = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    let handler: HTTPServer.Handler
    let clock: any WallClock
    /// Asked before the handler.
    var immediate: (any ImmediateResponder)?
    /// Told of every exchange.
    var observer: ExchangeObserver?

    /// The value of a `Date` field now.
    var date: String { HTTPDate(clock.now()).description }

    /// Answers a request.
    ///
    /// - Returns: What the caller has still to write. A response at hand is returned whole, since a task that has been cancelled cannot write; one that
    ///   streams is written from here, so that cancelling the task ends it.
    /// - Throws: If the response could not be written as announced. The connection must then be closed: its client waits for the rest.
    func respond(to exchange: Exchange, through writer: Writer) async throws -> [HTTPServerResponsePart] {
        let response = await handler(exchange.request)
        if observer != nil { exchange.cancellation.note = response.note }
        let plan = ResponsePlan(response, to: exchange.request, keepsAlive: exchange.keepsAlive, date: date)
        switch plan.content {
        case .none:
            return [.head(plan.head), .end(nil)]
        case .bytes(let count):
            guard let bytes = plan.body.bytesAtHand else { return try await write(plan, byteCount: count, to: writer) }
            return [.head(plan.head), .body(.byteBuffer(bytes)), .end(nil)]
        case .chunked, .untilClose:
            try await writer.write(.head(plan.head))
            for try await part in plan.body {
                try await writer.write(.body(.byteBuffer(part)))
            }
            // A sequence whose reader is cancelled may end as if it were complete.
            try Task.checkCancellation()
            return [.end(plan.content == .chunked ? HTTPHeaders(trailers: plan.body.trailers) : nil)]
        }
    }

    private func write(_ plan: ResponsePlan, byteCount: Int, to writer: Writer) async throws -> [HTTPServerResponsePart] {
        var check = LengthCheck(byteCount: byteCount)
        var parts = plan.body.makeAsyncIterator()
        if byteCount == 0 {
            // The head alone is the whole response, so the body must be seen to be empty first.
            guard try await parts.next() == nil else { throw ResponseBodyError.tooLong }
            return [.head(plan.head), .end(nil)]
        }
        try await writer.write(.head(plan.head))
        while let part = try await parts.next() {
            switch check.next(part) {
            case .send(let part): try await writer.write(.body(.byteBuffer(part)))
            case .hold: break
            case .fail: throw ResponseBodyError.tooLong
            }
        }
        switch check.end() {
        case .send(let last?): return [.body(.byteBuffer(last)), .end(nil)]
        case .send(nil): return [.end(nil)]
        case .fail: throw ResponseBodyError.tooShort
        }
    }
}

/// Why a response was cut off.
enum ResponseBodyError: Error, CustomStringConvertible {
    case tooLong
    case tooShort

    var description: String {
        switch self {
        case .tooLong: "The body is longer than its announced length."
        case .tooShort: "The body is shorter than its announced length."
        }
    }
}
