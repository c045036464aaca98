// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Synchronization

/// A body that is remembered while it is forwarded.
///
/// The consumer gets each part as it arrives. The part that completes the body is handed over only after the whole has been
/// passed on for storing, so that whoever has seen the last byte and asks again finds the response in the cache.
/// A body that breaks off, grows too long, is iterated a second time, or is dropped by its consumer is given up and never stored.
struct RecordedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let body: HTTPBody
    let recording: BodyRecording

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: HTTPBody.AsyncIterator
        let recording: BodyRecording

        mutating func next() async throws -> ByteBuffer? {
            try await next(isolation: nil)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            do {
                let part = try await base.next(isolation: actor)
                // Many streams simply end when the task that reads them is cancelled. That is not the end of the body.
                if part == nil, Task.isCancelled {
                    recording.giveUp()
                } else {
                    await recording.received(part)
                }
                return part
            } catch {
                recording.giveUp()
                throw error
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        recording.iterationBegins()
        return AsyncIterator(base: body.makeAsyncIterator(), recording: recording)
    }
}

/// What has been remembered of a body so far. Ends exactly once: by completion, or by giving up.
final class BodyRecording: Sendable {
    private enum State: Sendable {
        case recording(ByteBuffer)
        case over
    }

    private let state = Mutex(State.recording(ByteBuffer()))
    private let isBeingIterated = Atomic(false)
    private let expectedLength: Int?
    private let maximumByteCount: Int
    private let budget: ByteBudget
    private let onCompletion: @Sendable (ByteBuffer) async -> Void
    private let onGivingUp: @Sendable () -> Void

    /// - Parameters:
    ///   - expectedLength: The length of the body, if it is known.
    ///   - maximumByteCount: The longest body to be remembered.
    ///   - budget: Limits what all recordings hold together.
    ///   - onCompletion: Gets the whole body.
    ///   - onGivingUp: Told that there will be no whole body.
    init(
        expectedLength: Int?,
        maximumByteCount: Int,
        budget: ByteBudget,
        onCompletion: @escaping @Sendable (ByteBuffer) async -> Void,
        onGivingUp: @escaping @Sendable () -> Void
    ) {
        self.expectedLength = expectedLength
        self.maximumByteCount = maximumByteCount
        self.budget = budget
        self.onCompletion = onCompletion
        self.onGivingUp = onGivingUp
    }

    deinit {
        giveUp()
    }

    /// Somebody begins to read the body. Of two readers neither sees all of it.
    func iterationBegins() {
        if isBeingIterated.exchange(true, ordering: .relaxed) { giveUp() }
    }

    /// Takes note of the next part, or of the end.
    func received(_ part: ByteBuffer?) async {
        switch state.withLock({ record(part, in: &$0) }) {
        case .goOn: break
        case .complete(let body): await onCompletion(body)
        case .giveUp: onGivingUp()
        }
    }

    /// The body will not be complete.
    func giveUp() {
        let wasRecording = state.withLock { state in
            guard case .recording(let body) = state else { return false }
            budget.release(body.readableBytes)
            state = .over
            return true
        }
        if wasRecording { onGivingUp() }
    }

    private enum Action { case goOn, complete(ByteBuffer), giveUp }

    private func record(_ part: ByteBuffer?, in state: inout sending State) -> Action {
        guard case .recording(var body) = state else { return .goOn }
        // Without this the buffer would be copied, as the state holds it too.
        state = .over
        guard let part else {
            budget.release(body.readableBytes)
            return expectedLength.map { $0 == body.readableBytes } ?? true ? .complete(body) : .giveUp
        }
        let length = body.readableBytes + part.readableBytes
        guard length <= min(maximumByteCount, expectedLength ?? .max), budget.take(part.readableBytes) else {
            budget.release(body.readableBytes)
            return .giveUp
        }
        body.writeImmutableBuffer(part)
        guard length == expectedLength else {
            state = .recording(body)
            return .goOn
        }
        budget.release(length)
        return .complete(body)
    }
}

/// The bytes that many recordings may hold together.
final class ByteBudget: Sendable {
    private let bytesLeft: Atomic<Int>

    init(_ bytes: Int) {
        self.bytesLeft = Atomic(bytes)
    }

    /// Takes bytes if there are enough left.
    func take(_ count: Int) -> Bool {
        let (_, left) = bytesLeft.wrappingSubtract(count, ordering: .relaxed)
        if left >= 0 { return true }
        release(count)
        return false
    }

    func release(_ count: Int) {
        bytesLeft.wrappingAdd(count, ordering: .relaxed)
    }
}
