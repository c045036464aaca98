// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import CBenchmarkSupport
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Nanoseconds of the monotonic clock.
public func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Runs `body` on `count` threads that start together, and waits for all.
///
/// - Parameter body: Gets the number of its thread, from 0.
/// - Returns: The result of each thread, and the nanoseconds from the first thread's start to the last one's end.
public func onThreads<Result: Sendable>(
    _ count: Int,
    _ body: @escaping @Sendable (Int) -> Result
) -> (results: [Result], nanoseconds: Int64) {
    guard count > 1 else {
        let start = monotonicNanoseconds()
        let result = body(0)
        return ([result], monotonicNanoseconds() - start)
    }
    let run = Run<Result>(threads: count)
    let ended = DispatchSemaphore(value: 0)
    for number in 0..<count {
        Thread {
            run.waitForAll()
            let start = monotonicNanoseconds()
            let result = body(number)
            run.end(.init(number: number, result: result, start: start, end: monotonicNanoseconds()))
            ended.signal()
        }.start()
    }
    for _ in 0..<count { ended.wait() }
    let parts = run.parts.withLock { $0 }.sorted { $0.number < $1.number }
    let first = parts.map(\.start).min() ?? 0
    let last = parts.map(\.end).max() ?? 0
    return (parts.map(\.result), last - first)
}

private final class Run<Result: Sendable>: Sendable {
    struct Part: Sendable {
        let number: Int
        let result: Result
        let start: Int64
        let end: Int64
    }

    let missing: Atomic<Int>
    let parts = Mutex<[Part]>([])

    init(threads: Int) {
        missing = Atomic(threads)
    }

    func waitForAll() {
        missing.subtract(1, ordering: .acquiringAndReleasing)
        while missing.load(ordering: .acquiring) > 0 { sched_yield() }
    }

    func end(_ part: Part) {
        parts.withLock { $0.append(part) }
    }
}
