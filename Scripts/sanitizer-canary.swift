// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// The defects that a sanitizer must report, and the correct code that it must not report, one by one.
// Scripts/sanitize runs these first: a sanitizer that sees nothing reports nothing, and one that does not see
// locks and continuations reports correct code.

import Glibc
import Synchronization

/// Changed by two threads.
final class Numbers: @unchecked Sendable {
    var numbers: [Int] = [0]

    func increment() { numbers[0] += 1 }
}

/// Orders two threads without the sanitizer's knowledge: a relaxed store says nothing of the writes before it.
final class Signal: Sendable {
    let isGiven = Atomic<Bool>(false)

    func give() { isGiven.store(true, ordering: .relaxed) }

    func wait() {
        while !isGiven.load(ordering: .relaxed) { sched_yield() }
    }
}

/// Runs `body` on a thread of its own, which no thread joins.
func onThread(_ body: @escaping @Sendable () -> Void) {
    final class Body {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let begin: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
        if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
    }
    pthread_create(&thread, nil, begin, Unmanaged.passRetained(Body(body)).toOpaque())
    pthread_detach(thread)
}

/// Runs `first` on one thread and `second` on another, which begins when `first` calls its argument.
func onTwoThreads(first: @escaping @Sendable (_ begun: () -> Void) -> Void, second: @escaping @Sendable () -> Void) {
    let begun = Signal()
    let ended = [Signal(), Signal()]
    onThread {
        first { begun.give() }
        ended[0].give()
    }
    onThread {
        begun.wait()
        second()
        ended[1].give()
    }
    for signal in ended { signal.wait() }
}

// MARK: - Races, and what is none

func race() {
    let numbers = Numbers()
    onTwoThreads(
        first: { begun in
            numbers.increment()
            begun()
        },
        second: { numbers.increment() }
    )
}

/// The second thread waits in the lock, for a twentieth of a second.
func lock() {
    let numbers = Numbers()
    let lock = Shared()
    onTwoThreads(
        first: { begun in
            lock.mutex.withLock { _ in
                begun()
                usleep(50_000)
                numbers.increment()
            }
        },
        second: { lock.mutex.withLock { _ in numbers.increment() } }
    )
}

/// The second thread fails while the first has the lock.
func tryLock() {
    let numbers = Numbers()
    let lock = Shared()
    onTwoThreads(
        first: { begun in
            lock.mutex.withLock { _ in
                begun()
                usleep(50_000)
                numbers.increment()
            }
        },
        second: {
            while lock.mutex.withLockIfAvailable({ _ in numbers.increment() }) == nil { usleep(1_000) }
        }
    )
}

final class Shared: Sendable {
    let mutex = Mutex(())
}

/// Resumed by another thread before the task suspends.
func earlyContinuation() async {
    let numbers: Numbers = await withCheckedContinuation { continuation in
        let resumed = Signal()
        onThread {
            let numbers = Numbers()
            numbers.increment()
            continuation.resume(returning: numbers)
            resumed.give()
        }
        resumed.wait()
    }
    numbers.increment()
}

/// Resumed by another thread when the task has suspended.
func lateContinuation() async {
    let numbers: Numbers = await withUnsafeContinuation { continuation in
        onThread {
            usleep(50_000)
            let numbers = Numbers()
            numbers.increment()
            continuation.resume(returning: numbers)
        }
    }
    numbers.increment()
}

func task() async {
    let numbers = Numbers()
    numbers.increment()
    await Task.detached { numbers.increment() }.value
    numbers.increment()
}

// MARK: - Memory

func useAfterFree() {
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 100)
    bytes.initialize(repeating: 7, count: 100)
    bytes.deallocate()
    print(bytes[50])
}

func overflow() {
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 100)
    bytes.initialize(repeating: 7, count: 100)
    print(bytes[98 + CommandLine.arguments.count])
    bytes.deallocate()
}

@inline(never)
func leak() {
    for _ in 0..<100 { UnsafeMutableRawPointer.allocate(byteCount: 4_711, alignment: 8).storeBytes(of: 1, as: UInt8.self) }
}

/// Still in use when the process ends.
nonisolated(unsafe) var kept: [String] = []

@main struct Canary {
    nonisolated static func main() async {
        switch CommandLine.arguments.dropFirst().first {
        case "race": race()
        case "lock": lock()
        case "try-lock": tryLock()
        case "early-continuation": await earlyContinuation()
        case "late-continuation": await lateContinuation()
        case "task": await task()
        case "use-after-free": useAfterFree()
        case "overflow": overflow()
        case "leak": leak()
        case "kept": kept = (0..<100).map { "a string that needs memory of its own, number \($0)" }
        default: fatalError("No such canary.")
        }
    }
}
