// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting

/// A stand-in for the pauses between polls. Each pause lasts until the test ends it.
final class ManualPolling: Sendable {
    private let steps = AsyncStream<Void>.makeStream()
    private let ends = Counter()
    private let intervals = Shared<[Duration]>([])

    /// The sleep function of a source under test.
    func sleep(_ interval: Duration) async throws {
        intervals.update { $0.append(interval) }
        var iterator = steps.stream.makeAsyncIterator()
        if await iterator.next() == nil {
            ends.increment()
            throw CancellationError()
        }
    }

    /// Ends this pause or the next one.
    func step() { steps.continuation.yield() }

    /// Makes this pause or the next one fail, as a cancelled task does.
    func end() { steps.continuation.finish() }

    /// Suspends until this number of polls is done.
    func polls(_ count: Int) async throws { try await waitUntil { intervals.value.count >= count } }

    /// Suspends until a pause has failed.
    func ended() async throws { try await waitUntil { ends.value > 0 } }

    var pauseLengths: [Duration] { intervals.value }
}

/// A source whose levels the test chooses.
final class ManualPressureSource: MemoryPressureSource {
    private let stream: AsyncStream<MemoryPressure>
    let continuation: AsyncStream<MemoryPressure>.Continuation
    private let terminations = Counter()

    init() {
        (stream, continuation) = AsyncStream.makeStream()
        continuation.onTermination = { [terminations] _ in terminations.increment() }
    }

    func levels() -> AsyncStream<MemoryPressure> { stream }

    /// Suspends until there are no observers any more.
    func terminated() async throws { try await waitUntil { terminations.value > 0 } }
}
