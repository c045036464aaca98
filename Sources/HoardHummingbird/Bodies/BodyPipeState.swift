// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import NIOCore

/// What lies between a body that is pushed and whoever pulls it. Decides; waits for nothing.
struct BodyPipeState {
    enum Ending {
        case finished(trailers: HTTPFields?)
        case failed(any Error)
    }

    enum WriteAction {
        /// The reader waits for this part.
        case deliver
        /// The part is kept, and there is room for more.
        case proceed
        /// The part is kept. The writer waits until there is room.
        case wait
        /// Nobody will read it.
        case refuse
    }

    enum ReadAction {
        case take(ByteBuffer, wakesWriters: Bool)
        case end
        case fail(any Error)
        case wait
    }

    /// What may lie here: a writer that has put as much waits.
    static let capacity = 64 << 10

    private var parts = CircularBuffer<ByteBuffer>()
    private var byteCount = 0
    private var ending: Ending?
    private(set) var isAbandoned = false
    private(set) var isReaderWaiting = false
    private(set) var areWritersWaiting = false

    var trailers: HTTPFields? {
        if case .finished(let trailers) = ending { trailers } else { nil }
    }

    mutating func write(_ part: ByteBuffer) -> WriteAction {
        if isAbandoned || ending != nil { return .refuse }
        if part.readableBytes == 0 { return .proceed }
        if isReaderWaiting {
            isReaderWaiting = false
            return .deliver
        }
        parts.append(part)
        byteCount += part.readableBytes
        areWritersWaiting = areWritersWaiting || byteCount >= Self.capacity
        return byteCount >= Self.capacity ? .wait : .proceed
    }

    mutating func read() -> ReadAction {
        if let part = parts.popFirst() {
            byteCount -= part.readableBytes
            let wakesWriters = areWritersWaiting && byteCount < Self.capacity
            if wakesWriters { areWritersWaiting = false }
            return .take(part, wakesWriters: wakesWriters)
        }
        switch ending {
        case .finished: return .end
        case .failed(let error): return .fail(error)
        case nil:
            isReaderWaiting = true
            return .wait
        }
    }

    /// All that was written, if that has ended without trailers, and nobody has read any of it.
    func whole(byteCount expected: Int) -> ByteBuffer? {
        guard case .finished(let trailers) = ending, trailers?.isEmpty ?? true, byteCount == expected, var whole = parts.first else { return nil }
        for part in parts.dropFirst() { whole.writeImmutableBuffer(part) }
        return whole
    }

    /// The reader does not wait any longer.
    mutating func stopWaiting() { isReaderWaiting = false }

    /// Nothing more comes. Only the first end counts.
    ///
    /// - Returns: Whether the reader waits to be told.
    mutating func end(_ ending: Ending) -> Bool {
        guard self.ending == nil, !isAbandoned else { return false }
        self.ending = ending
        defer { isReaderWaiting = false }
        return isReaderWaiting
    }

    /// The reader has left.
    mutating func abandon() {
        isAbandoned = true
        isReaderWaiting = false
        areWritersWaiting = false
        parts.removeAll()
        byteCount = 0
    }
}
