// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardMessages
internal import NIOCore
internal import NIOHPACK

/// The part of a response that is still to be written, and the state of the part that was written.
struct StreamOutput {
    /// The end of the response, behind all content.
    enum Ending {
        case none
        case trailers(HPACKHeaders)
    }

    /// The most bytes in one DATA frame; a client may accept no more.
    static let frameByteCount = 16_384

    /// Content that has not been written because the client takes no more for now.
    private var pending = ByteBuffer()
    private var ending: Ending?
    /// Completed when more content may be given.
    private var room: EventLoopPromise<Void>?
    /// The number of written bytes of content that the socket has not taken yet.
    private(set) var unsentByteCount = 0
    /// How much content the socket has taken.
    private(set) var sentByteCount = 0

    /// Whether the client is waited for.
    var isWaiting: Bool { unsentByteCount > 0 || pending.readableBytes > 0 }

    /// Whether there is something to write.
    var isEmpty: Bool { pending.readableBytes == 0 && ending == nil }

    mutating func add(_ content: ByteBuffer) {
        if pending.readableBytes == 0 { pending = content } else { pending.writeImmutableBuffer(content) }
    }

    mutating func end(_ ending: Ending) {
        self.ending = ending
    }

    enum Frame {
        case data(ByteBuffer, endsStream: Bool)
        case trailers(HPACKHeaders)
    }

    /// The next frame to write, if there is anything to write.
    mutating func next() -> Frame? {
        if let part = pending.readSlice(length: min(pending.readableBytes, Self.frameByteCount)), part.readableBytes > 0 {
            unsentByteCount += part.readableBytes
            guard pending.readableBytes == 0 else { return .data(part, endsStream: false) }
            pending = ByteBuffer()
            guard case .some(.none) = ending else { return .data(part, endsStream: false) }
            ending = nil
            return .data(part, endsStream: true)
        }
        switch ending.take() {
        case nil: return nil
        case .some(.none): return .data(ByteBuffer(), endsStream: true)
        case .trailers(let fields): return .trailers(fields)
        }
    }

    /// The socket has taken content, or will never.
    mutating func written(byteCount: Int, isSent: Bool) {
        unsentByteCount -= byteCount
        if isSent { sentByteCount += byteCount }
    }

    /// A future that completes when all content has been written.
    mutating func whenThereIsRoom(on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        guard pending.readableBytes > 0 else { return eventLoop.makeSucceededVoidFuture() }
        let room = self.room ?? eventLoop.makePromise(of: Void.self)
        self.room = room
        return room.futureResult
    }

    /// Takes the promise of a writer that waits for room, if all content has been written.
    mutating func takeRoom() -> EventLoopPromise<Void>? {
        pending.readableBytes == 0 ? room.take() : nil
    }

    /// Nothing more will be written.
    mutating func giveUp() {
        pending = ByteBuffer()
        ending = nil
        room.take()?.fail(ChannelError.ioOnClosedChannel)
    }
}
