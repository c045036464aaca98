// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardMessages
internal import HoardWire
internal import NIOCore

/// A response whose head is in the form of its protocol, and how its content ends.
protocol PlannedResponse: Sendable {
    var content: ResponsePlan.Content { get }
    var body: HTTPBody { get }
}

extension PlannedResponse {
    /// Whether the head is the whole response.
    var hasNoContent: Bool { content == .none || body.bytesAtHand?.readableBytes == 0 }
}

/// Writes a response from the task that makes it, as fast as the client takes it.
protocol ResponseWriter: Sendable {
    associatedtype Plan: PlannedResponse

    /// Writes a response whose content is at hand; `nil`: it has none.
    func send(_ plan: Plan, content: ByteBuffer?) async throws

    /// Writes a head behind which content comes.
    func start(_ plan: Plan) async throws

    /// Writes content. Suspends while the client takes no more.
    func send(_ content: ByteBuffer) async throws

    /// Writes the last of the content, and the fields behind it.
    func finish(_ content: ByteBuffer?, trailers: HTTPFields?) async throws
}

extension ResponseWriter {
    /// Writes a whole response. Of one that is at hand, also for a task that has been cancelled.
    ///
    /// - Throws: If it could not be written as announced. The client must be shown then that it is incomplete.
    func write(_ plan: Plan) async throws {
        if plan.hasNoContent { return try await send(plan, content: nil) }
        if let content = plan.body.bytesAtHand { return try await send(plan, content: content) }
        if case .bytes(let count) = plan.content { return try await write(plan, byteCount: count) }
        try await start(plan)
        for try await part in plan.body {
            try Task.checkCancellation()
            try await send(part)
        }
        // A sequence whose reader is cancelled may end as if it were complete.
        try Task.checkCancellation()
        try await finish(nil, trailers: plan.content == .chunked ? plan.body.trailers : nil)
    }

    private func write(_ plan: Plan, byteCount: Int) async throws {
        var check = LengthCheck(byteCount: byteCount)
        var parts = plan.body.makeAsyncIterator()
        if byteCount == 0 {
            // The head alone is the whole response, so the body must be seen to be empty first.
            guard try await parts.next() == nil else { throw ResponseBodyError.tooLong }
            try await start(plan)
            return try await finish(nil, trailers: nil)
        }
        try await start(plan)
        while let part = try await parts.next() {
            switch check.next(part) {
            case .send(let part):
                try Task.checkCancellation()
                try await send(part)
            case .hold: break
            case .fail: throw ResponseBodyError.tooLong
            }
        }
        switch check.end() {
        case .send(let last): try await finish(last, trailers: nil)
        case .fail: throw ResponseBodyError.tooShort
        }
    }
}

/// The reason why a response was cut off.
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
