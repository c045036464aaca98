// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// The work of all threads together in one run.
struct Outcome {
    /// The time from the first thread's start to the last one's end.
    var nanoseconds: Int64
    var operations: Int
    /// The longest time that one thread took for 1,000 operations.
    var worstStall: Int64
    var checksum: UInt64
}

let operationsPerBatch = 1000

/// Every thread walks through its own part of `keys`. With `writesOneIn` 20, every twentieth operation replaces a value.
func measure<T: SharedTable>(_ table: T, keys: [UInt64], threads: Int, batchesPerThread: Int, writesOneIn: Int?) -> Outcome {
    let (results, nanoseconds) = onThreads(threads) { thread in
        let start = (keys.count / threads) * thread
        if let writesOneIn {
            return runMixed(table, keys: keys, start: start, batches: batchesPerThread, thread: thread, writesOneIn: writesOneIn)
        }
        return runReads(table, keys: keys, start: start, batches: batchesPerThread, thread: thread)
    }
    return Outcome(
        nanoseconds: nanoseconds,
        operations: threads * batchesPerThread * operationsPerBatch,
        worstStall: results.map(\.worstStall).max() ?? 0,
        checksum: results.reduce(0) { $0 &+ $1.checksum }
    )
}

typealias ThreadOutcome = (worstStall: Int64, checksum: UInt64)

@inline(never)
private func runReads<T: SharedTable>(_ table: T, keys: [UInt64], start: Int, batches: Int, thread: Int) -> ThreadOutcome {
    var checksum: UInt64 = 0
    var worstStall: Int64 = 0
    var position = start
    // Each value stays alive until the next one is read, so that no reader gets by without retaining it.
    var last: Box?
    var time = monotonicNanoseconds()
    for _ in 0..<batches {
        if position + operationsPerBatch > keys.count { position = 0 }
        for index in position..<(position + operationsPerBatch) {
            let box = table.value(forKey: keys[index], thread: thread)
            checksum &+= box.number
            last = box
        }
        position += operationsPerBatch
        let now = monotonicNanoseconds()
        worstStall = max(worstStall, now - time)
        time = now
    }
    return (worstStall, checksum &+ (last?.number ?? 0))
}

@inline(never)
private func runMixed<T: SharedTable>(
    _ table: T,
    keys: [UInt64],
    start: Int,
    batches: Int,
    thread: Int,
    writesOneIn: Int
) -> ThreadOutcome {
    var checksum: UInt64 = 0
    var worstStall: Int64 = 0
    var position = start
    var untilWrite = writesOneIn
    var last: Box?
    var time = monotonicNanoseconds()
    for _ in 0..<batches {
        if position + operationsPerBatch > keys.count { position = 0 }
        for index in position..<(position + operationsPerBatch) {
            untilWrite -= 1
            if untilWrite == 0 {
                untilWrite = writesOneIn
                table.replace(keys[index], by: Box(keys[index]), thread: thread)
            } else {
                let box = table.value(forKey: keys[index], thread: thread)
                checksum &+= box.number
                last = box
            }
        }
        position += operationsPerBatch
        let now = monotonicNanoseconds()
        worstStall = max(worstStall, now - time)
        time = now
    }
    return (worstStall, checksum &+ (last?.number ?? 0))
}
