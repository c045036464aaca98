// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import NIOCore
internal import Synchronization

/// The body of one response from the origin, for any number of readers, which all get it from its first byte on.
///
/// Before each part, the feeder asks whether one is wanted (``waitForDemand()``). It fetches no more than ``readAheadLength`` bytes that the fastest
/// reader has not asked for. Parts are kept
/// - all of them as long as the body is short enough to be stored at one piece;
/// - then until they are in a segment and their readers have got them. A slow reader reads the segments, which stay for the readers even if the
///   response is removed, replaced or not stored in the end;
/// - the bytes of a body that is not stored and that are in no segment, until all readers have got them. A reader that
///   falls behind by more than ``maximumLag`` of these bytes is broken off.
///
/// When its last reader has left, the transfer is broken off too, unless no more than ``worthwhileRest`` bytes are known to be missing of a body that
/// is stored.
final class SharedBody: Sendable {
    static let readAheadLength = 256 << 10
    static let maximumLag = 1 << 20
    static let worthwhileRest = 64 << 10
    /// Bodies that are not longer are begun to be given to followers when they are whole, so that a leader's that breaks off costs them nothing.
    static let awaitedLength = 64 << 10

    /// How the body is kept.
    enum Keeping: Sendable {
        /// Nothing has been dropped.
        case inMemory
        /// Parts that have been written to segments may be dropped.
        case inSegments(BodyReference)
        /// Nothing more is kept. Parts that are in segments already can be read as long as there are readers.
        case notAtAll
    }

    enum Ending: Sendable {
        case whole(trailers: HTTPFields?)
        case brokenOff(any Error)
    }

    fileprivate struct Reader {
        var position = 0
        var continuation: CheckedContinuation<Void, Never>?
        var isTooSlow = false
    }

    fileprivate struct Chunk {
        let offset: Int
        let bytes: ByteBuffer
        var end: Int { offset + bytes.readableBytes }
    }

    fileprivate struct State {
        var chunks = CircularBuffer<Chunk>()
        var received = 0
        var keeping = Keeping.inMemory
        /// The part that can be read back.
        var written: BodyReference?
        /// Keeps it from being removed, until the last reader has left for good.
        var lease: BodySegments.Lease?
        var ending: Ending?
        var readers: [Int: Reader] = [:]
        var lastReader = 0
        /// The continuation of the feeder, while it waits to be asked for more.
        var demand: CheckedContinuation<Bool, Never>?
        /// The rest is fetched though no reader is left.
        var isDraining = false
        var isAbandoned = false
        var feeder: Task<Void, Never>?
        /// Let go of at the end: it may lead back to the body.
        var onAbandonment: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>
    private let segments: BodySegments
    /// The length that was announced.
    let expectedLength: Int?

    /// - Parameter onAbandonment: Called when the last reader has left and the transfer is broken off.
    init(expectedLength: Int?, segments: BodySegments, onAbandonment: @escaping @Sendable () -> Void) {
        self.expectedLength = expectedLength
        self.segments = segments
        state = Mutex(State(onAbandonment: onAbandonment))
    }

    /// The task that feeds the body, which is cancelled when the transfer is broken off.
    func setFeeder(_ task: Task<Void, Never>) {
        let isAbandoned = state.withLock { state in
            if state.ending == nil { state.feeder = task }
            return state.isAbandoned
        }
        if isAbandoned { task.cancel() }
    }

    var trailers: HTTPFields? {
        state.withLock { state in
            if case .whole(let trailers) = state.ending { trailers } else { nil }
        }
    }

    // MARK: Feeding

    /// Suspends until another part is wanted.
    ///
    /// - Returns: `false` if no reader will want one any more.
    func waitForDemand() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Bool? in
                if state.isAbandoned { return false }
                if state.isPartWanted { return true }
                state.demand = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// The beginning of the body is in segments. From now on they are there for the readers, whatever becomes of the stored response.
    func hold(_ written: BodyReference) {
        state.withLock { $0.hold(written, segments) }
    }

    /// Adds a part. `keeping` says how the body is kept with it.
    func append(_ part: ByteBuffer, keeping: Keeping) {
        let waiting = state.withLock { state in
            state.setKeeping(keeping, segments)
            state.chunks.append(Chunk(offset: state.received, bytes: part))
            state.received += part.readableBytes
            state.dropWhatIsNotNeeded()
            return state.takeWaitingReaders()
        }
        for reader in waiting { reader.resume() }
    }

    /// Ends the body. Only the first end counts.
    ///
    /// - Parameter keeping: How the body is kept now.
    func end(_ ending: Ending, keeping: Keeping? = nil) {
        let (waiting, feeder, lease, onAbandonment) = state.withLock { state in
            if state.ending == nil { state.ending = ending }
            if let keeping { state.setKeeping(keeping, segments) }
            defer {
                state.feeder = nil
                state.onAbandonment = nil
            }
            return (state.takeWaitingReaders(), state.feeder, state.takeLeaseIfUnused(), state.onAbandonment)
        }
        for reader in waiting { reader.resume() }
        withExtendedLifetime((feeder, lease, onAbandonment)) {}
    }

    // MARK: Readers

    /// A new reader; `nil` if the beginning is no longer there, or the transfer has been broken off.
    func addReader() -> SharedBodyReader? {
        let id = state.withLock { state -> Int? in
            guard !state.isAbandoned else { return nil }
            if case .brokenOff = state.ending { return nil }
            if case .notAtAll = state.keeping, state.chunks.first?.offset ?? state.received > 0 { return nil }
            if let written = state.written { state.hold(written, segments) }
            state.lastReader += 1
            state.readers[state.lastReader] = Reader()
            return state.lastReader
        }
        return id.map { SharedBodyReader(body: self, id: $0) }
    }

    /// A reader leaves, be it at the end or before.
    func leave(_ reader: Int) {
        // Dropped values are released after the lock.
        typealias Left = (
            demand: CheckedContinuation<Bool, Never>?, onAbandonment: (@Sendable () -> Void)?, feeder: Task<Void, Never>?, lease: BodySegments.Lease?
        )
        let left = state.withLock { state -> Left in
            state.readers[reader] = nil
            guard state.readers.isEmpty, state.ending == nil, !state.isAbandoned, !state.isDraining else {
                state.dropWhatIsNotNeeded()
                return (state.takeDemandIfWanted(), nil, nil, state.takeLeaseIfUnused())
            }
            if state.isWorthDraining(expectedLength) {
                state.isDraining = true
                return (state.takeDemandIfWanted(), nil, nil, nil)
            }
            state.isAbandoned = true
            defer {
                state.demand = nil
                state.feeder = nil
                state.onAbandonment = nil
            }
            return (state.demand, state.onAbandonment, state.feeder, state.takeLeaseIfUnused())
        }
        left.demand?.resume(returning: left.onAbandonment == nil)
        guard let onAbandonment = left.onAbandonment else { return }
        onAbandonment()
        left.feeder?.cancel()
    }

    fileprivate enum Step {
        case part(ByteBuffer)
        case readBack(BodyReference, position: Int, end: Int)
        case end
        case failure(any Error)
        case wait
    }

    /// The next part for a reader; `nil` at the end.
    ///
    /// - Throws: The error with which the transfer broke off; ``HTTPBodyIncompleteError``; `CancellationError`.
    func nextPart(for reader: Int) async throws -> ByteBuffer? {
        while true {
            let (step, demand) = state.withLock { state in
                let step = state.step(for: reader)
                if case .part(let part) = step { state.readers[reader]?.position += part.readableBytes }
                return (step, state.takeDemandIfWanted())
            }
            demand?.resume(returning: true)
            switch step {
            case .part(let part): return part
            case .end: return nil
            case .failure(let error): throw error
            case .readBack(let reference, let position, let end):
                let index = position / reference.segmentLength
                guard let segment = await segments.segment(index, of: reference) else { throw HTTPBodyIncompleteError() }
                let start = position - index * reference.segmentLength
                let length = min(segment.readableBytes - start, end - position)
                guard let part = segment.getSlice(at: segment.readerIndex + start, length: length) else { throw HTTPBodyIncompleteError() }
                state.withLock { $0.readers[reader]?.position = position + length }
                return part
            case .wait:
                try Task.checkCancellation()
                await wait(reader) { if case .wait = $0.step(for: reader) { true } else { false } }
                try Task.checkCancellation()
            }
        }
    }

    /// Suspends until the body has ended, whatever the reader has read of it.
    ///
    /// - Returns: Whether it is whole; `false` also if the task is cancelled.
    func isWholeInTheEnd(for reader: Int) async -> Bool {
        while true {
            switch state.withLock({ $0.ending }) {
            case .whole: return true
            case .brokenOff: return false
            case nil:
                if Task.isCancelled { return false }
                await wait(reader) { $0.ending == nil }
            }
        }
    }

    private func wait(_ reader: Int, while hasToWait: (State) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThereMore = state.withLock { state in
                    guard hasToWait(state), state.readers[reader] != nil else { return true }
                    state.readers[reader]?.continuation = continuation
                    return false
                }
                if isThereMore { continuation.resume() }
                // A cancellation that came before the continuation was registered found no reader to wake.
                if Task.isCancelled { wake(reader) }
            }
        } onCancel: {
            wake(reader)
        }
    }

    private func wake(_ reader: Int) {
        let continuation = state.withLock { state in
            defer { state.readers[reader]?.continuation = nil }
            return state.readers[reader]?.continuation
        }
        continuation?.resume()
    }
}

extension SharedBody.State {
    mutating func setKeeping(_ keeping: SharedBody.Keeping, _ segments: BodySegments) {
        self.keeping = keeping
        if case .inSegments(let reference) = keeping { hold(reference, segments) }
    }

    mutating func hold(_ reference: BodyReference, _ segments: BodySegments) {
        written = reference
        if lease == nil, !isAbandoned { lease = segments.lease([reference]) }
    }

    /// Takes the lease, unless a reader needs it or another may come.
    mutating func takeLeaseIfUnused() -> BodySegments.Lease? {
        guard readers.isEmpty, ending != nil || isAbandoned else { return nil }
        defer { lease = nil }
        return lease
    }

    /// Returns the next step for a reader, without taking anything.
    func step(for id: Int) -> SharedBody.Step {
        guard let reader = readers[id], !reader.isTooSlow else { return .failure(HTTPBodyIncompleteError()) }
        if reader.position < received {
            guard let first = chunks.first, first.offset <= reader.position else {
                guard let written, reader.position < written.length else { return .failure(HTTPBodyIncompleteError()) }
                return .readBack(written, position: reader.position, end: min(chunks.first?.offset ?? received, written.length))
            }
            let chunk = chunk(at: reader.position)
            let skipped = reader.position - chunk.offset
            if skipped == 0 { return .part(chunk.bytes) }
            let rest = chunk.bytes.getSlice(at: chunk.bytes.readerIndex + skipped, length: chunk.bytes.readableBytes - skipped)
            return .part(rest ?? ByteBuffer())
        }
        switch ending {
        case nil: return .wait
        case .whole: return .end
        case .brokenOff(let error): return .failure(error)
        }
    }

    /// The chunk that has a byte, which one of them has.
    private func chunk(at position: Int) -> SharedBody.Chunk {
        var (low, high) = (0, chunks.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if chunks[offset: middle].end > position { high = middle } else { low = middle + 1 }
        }
        return chunks[offset: low]
    }

    var isPartWanted: Bool {
        guard ending == nil else { return false }
        return isDraining || readers.values.contains { received - $0.position < SharedBody.readAheadLength }
    }

    mutating func takeDemandIfWanted() -> CheckedContinuation<Bool, Never>? {
        guard demand != nil, isPartWanted else { return nil }
        defer { demand = nil }
        return demand
    }

    mutating func takeWaitingReaders() -> [CheckedContinuation<Void, Never>] {
        var waiting: [CheckedContinuation<Void, Never>] = []
        for (id, reader) in readers {
            guard let continuation = reader.continuation else { continue }
            readers[id]?.continuation = nil
            waiting.append(continuation)
        }
        return waiting
    }

    /// Whether so little is known to be missing that the rest is fetched and stored though no reader is left.
    func isWorthDraining(_ expectedLength: Int?) -> Bool {
        if case .notAtAll = keeping { return false }
        guard let expectedLength else { return false }
        return expectedLength - received <= SharedBody.worthwhileRest
    }

    mutating func dropWhatIsNotNeeded() {
        let written = self.written?.length ?? 0
        var mayDropWhatIsInNoSegment = false
        switch keeping {
        case .inMemory: return
        case .inSegments: break
        case .notAtAll:
            mayDropWhatIsInNoSegment = true
            let fastest = readers.values.lazy.map(\.position).max() ?? received
            for (id, reader) in readers where fastest - max(reader.position, written) > SharedBody.maximumLag { readers[id]?.isTooSlow = true }
        }
        let slowest = readers.values.lazy.filter { !$0.isTooSlow }.map(\.position).min() ?? .max
        let lengthKept = SharedBody.readAheadLength + BodySegments.segmentLength
        while let first = chunks.first {
            let isWritten = first.end <= written
            guard
                first.end <= slowest
                    ? isWritten || mayDropWhatIsInNoSegment
                    : isWritten && received - first.offset > lengthKept
            else { return }
            chunks.removeFirst()
        }
    }
}
