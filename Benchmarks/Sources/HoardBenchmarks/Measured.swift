// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// One round's figures.
struct Round {
    var nanoseconds: Int64
    var operations: Int
    var outcome: LoopOutcome
}

/// A subject with its type forgotten, but for the closures. The generic initialiser is called with concrete types only, so the closures
/// and the loops they run are specialised; the witness of a protocol would not be. One call of a closure runs a whole round.
struct Measured<Key: BenchmarkKey> {
    let name: String
    /// Brings the subject into its state before the first round; the sequence warms it up.
    let prepare: (Workload, AccessSequence<Key>) -> Void
    let run: (Workload, AccessSequence<Key>) -> Round

    @inline(__always)
    init<S: Subject>(_ type: S.Type, capacity: Int = Workload.capacity) where S.Key == Key {
        let subject = S(capacity: capacity)
        name = S.name
        prepare = { workload, sequence in
            subject.fill(with: 0..<capacity)
            _ = runRound(subject, .readThrough, sequence)
        }
        run = { workload, sequence in runRound(subject, workload, sequence) }
    }
}

/// A subject that can be made when it is needed, and its workloads.
struct Candidate<Key: BenchmarkKey> {
    let name: String
    let make: () -> Measured<Key>
    private let workloads: [Workload]
    private let isThreadSafe: Bool

    @inline(__always)
    init<S: Subject>(_ type: S.Type, workloads: [Workload] = Workload.allCases, isThreadSafe: Bool = true) where S.Key == Key {
        name = S.name
        make = { Measured(type) }
        self.workloads = workloads
        self.isThreadSafe = isThreadSafe
    }

    func canRun(_ workload: Workload, threads: Int) -> Bool {
        workloads.contains(workload) && (threads == 1 || isThreadSafe)
    }
}

private func runRound<S: Subject>(_ subject: S, _ workload: Workload, _ sequence: AccessSequence<S.Key>) -> Round {
    let keysOfThread = sequence.keysOfThread
    let (outcomes, nanoseconds) = onThreads(keysOfThread.count) { thread in
        switch workload {
        case .getHit: getLoop(subject, keysOfThread[thread])
        case .readThrough: readThroughLoop(subject, keysOfThread[thread])
        case .insertEvict: insertLoop(subject, keysOfThread[thread])
        case .mixed: mixedLoop(subject, keysOfThread[thread])
        }
    }
    let total = outcomes.reduce(LoopOutcome()) { sum, part in
        LoopOutcome(gets: sum.gets + part.gets, hits: sum.hits + part.hits, checksum: sum.checksum &+ part.checksum)
    }
    return Round(nanoseconds: nanoseconds, operations: keysOfThread.reduce(0) { $0 + $1.count }, outcome: total)
}
