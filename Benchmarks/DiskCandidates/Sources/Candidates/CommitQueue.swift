// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Segments
internal import Synchronization

/// The queue that all candidates have in front of them: a thread commits the changes that have gathered while it
/// was committing, up to 256 of them, and then resumes their tasks.
public final class QueuedCandidate: Subject {
    private struct Waiting {
        var change: Change
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var waiting: [Waiting] = []
        var isClosed = false
    }

    public let candidate: any Candidate
    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private static let maximumBatchCount = 256

    public init(_ candidate: any Candidate) {
        self.candidate = candidate
        let thread = Thread { [self] in run() }
        thread.start()
    }

    public func set(_ key: [UInt8], to payload: [UInt8]) async throws { try await make(Change(key: key, payload: payload)) }
    public func remove(_ key: [UInt8]) async throws { try await make(Change(key: key, payload: nil)) }

    public func read(_ key: [UInt8], into buffer: UnsafeMutableRawBufferPointer) throws -> Int? { try candidate.read(key, into: buffer) }
    public func waitUntilComplete() { candidate.waitUntilComplete() }
    public var recordCount: Int { candidate.recordCount }

    private func make(_ change: Change) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiting.append(Waiting(change: change, continuation: continuation))
                return state.waiting.count == 1
            }
            if isFirst { signal.signal() }
        }
    }

    private func run() {
        while true {
            let batch = state.withLock { state -> [Waiting]? in
                if state.waiting.isEmpty { return state.isClosed ? nil : [] }
                if state.waiting.count <= Self.maximumBatchCount {
                    let all = state.waiting
                    state.waiting = []
                    state.waiting.reserveCapacity(Self.maximumBatchCount)
                    return all
                }
                defer { state.waiting.removeFirst(Self.maximumBatchCount) }
                return Array(state.waiting.prefix(Self.maximumBatchCount))
            }
            guard let batch else { break }
            if batch.isEmpty {
                signal.wait()
                continue
            }
            let result = Result { try candidate.commit(batch.map(\.change)) }
            for waiting in batch { waiting.continuation.resume(with: result) }
        }
        ended.signal()
    }

    public func close() async throws {
        state.withLock { $0.isClosed = true }
        signal.signal()
        await withCheckedContinuation { continuation in
            Thread { [self] in
                ended.wait()
                continuation.resume()
            }.start()
        }
        try candidate.close()
    }
}
