// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import NIOCore

/// The content of a request, read no faster than the network takes it.
///
/// The client reads content in a task of its own, hands each part to an event loop, and goes on until that event loop tells it to pause. A source that never
/// has to wait would be read far ahead of a busy event loop. So after every `windowByteCount` bytes this waits until
/// the event loops have done the work that they were given; then the client knows whether it has to pause.
struct PacedBody: AsyncSequence, Sendable {
    private let body: HTTPBody
    private let eventLoops: [any EventLoop]
    private let windowByteCount = 256 * 1_024

    private let progress: UploadProgress

    init(_ body: HTTPBody, on group: any EventLoopGroup, progress: UploadProgress) {
        self.body = body
        self.progress = progress
        self.eventLoops = Array(group.makeIterator())
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var parts: HTTPBody.AsyncIterator
        fileprivate let eventLoops: [any EventLoop]
        fileprivate let windowByteCount: Int
        fileprivate let progress: UploadProgress
        fileprivate var byteCount = 0

        mutating func next() async throws -> ByteBuffer? {
            progress.nextPartIsWanted()
            if byteCount >= windowByteCount {
                byteCount = 0
                try await EventLoopFuture.andAllSucceed(eventLoops.map { $0.submit {} }, on: eventLoops[0]).get()
            }
            guard let part = try await parts.next() else { return nil }
            byteCount += part.readableBytes
            progress.partWasTaken()
            return part
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(parts: body.makeAsyncIterator(), eventLoops: eventLoops, windowByteCount: windowByteCount, progress: progress)
    }
}
