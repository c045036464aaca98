// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import NIOCore
internal import Synchronization

/// The content of a response, which reports once that it has ended or that its reader has left.
final class CountedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    private let body: HTTPBody
    private let onEnd: @Sendable (TransportError?) -> Void
    private let isOver = Atomic(false)

    private init(_ body: HTTPBody, onEnd: @escaping @Sendable (TransportError?) -> Void) {
        self.body = body
        self.onEnd = onEnd
    }

    deinit {
        end(nil)
    }

    /// - Parameter onEnd: Called once, with the error that broke the content off, if there was one; at once if all of
    ///   it is at hand.
    static func counting(_ body: HTTPBody, onEnd: @escaping @Sendable (TransportError?) -> Void) -> HTTPBody {
        if body.bytesAtHand != nil {
            onEnd(nil)
            return body
        }
        return HTTPBody(CountedBody(body, onEnd: onEnd), length: body.length, trailers: { body.trailers })
    }

    private func end(_ error: TransportError?) {
        if !isOver.exchange(true, ordering: .relaxed) { onEnd(error) }
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        /// Kept because its end is the end of the reading.
        fileprivate let owner: CountedBody
        fileprivate var parts: HTTPBody.AsyncIterator

        mutating func next() async throws -> ByteBuffer? {
            try await next(isolation: nil)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            do {
                let part = try await parts.next(isolation: actor)
                if part == nil { owner.end(nil) }
                return part
            } catch {
                owner.end(error as? TransportError)
                throw error
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(owner: self, parts: body.makeAsyncIterator())
    }
}

/// The content of a request, which knows whether its reading has begun.
final class WatchedUpload: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    private let body: HTTPBody
    private let hasBegun = Atomic(false)

    init(_ body: HTTPBody) {
        self.body = body
    }

    var isUnread: Bool { !hasBegun.load(ordering: .relaxed) }
    var canBeRepeated: Bool { body.bytesAtHand != nil }

    /// The content to send.
    var content: HTTPBody {
        if canBeRepeated { return body }
        return HTTPBody(self, length: body.length, trailers: { self.body.trailers })
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let owner: WatchedUpload
        fileprivate var parts: HTTPBody.AsyncIterator

        mutating func next() async throws -> ByteBuffer? {
            try await next(isolation: nil)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            owner.hasBegun.store(true, ordering: .relaxed)
            return try await parts.next(isolation: actor)
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        hasBegun.store(true, ordering: .relaxed)
        return AsyncIterator(owner: self, parts: body.makeAsyncIterator())
    }
}
