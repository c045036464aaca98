// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// One line of the result.
struct Row {
    let workload: Workload
    let types: String
    let threads: Int
    let subject: String
    /// The time of one operation, over all threads together: the time of the run divided by
    /// the operations of all threads.
    var nanoseconds = Sample()
    /// The baseline's, of the same rounds: get-hit of the `Dictionary` under one `Mutex`, same types, one thread.
    var baseline = Sample()
    /// The same subject's with one thread, if that was measured.
    var oneThread: Double?
    var gets = 0
    var hits = 0
    var checksum = 0

    var name: String { "\(workload.rawValue)/\(types)/\(threads)" }
    var hitRatio: Double? { gets > 0 ? Double(hits) / Double(gets) : nil }
    var millionsPerSecond: Double { nanoseconds.median > 0 ? 1000 / nanoseconds.median : 0 }
    /// Throughput by the throughput of one thread.
    var scaling: Double? { oneThread.map { $0 / nanoseconds.median } }
}

struct Suite {
    let rounds: Int
    let quick: Bool
    /// Only rows whose name or subject contains this.
    let filter: String?
    let report: (Row) -> Void

    func runAll() {
        run(keys: Int.self, values: Payload.self)
        run(keys: Int.self, values: Int.self)
        run(keys: String.self, values: Payload.self)
        run(keys: String.self, values: Int.self)
    }

    @inline(__always)
    private func run<Key: BenchmarkKey, Value: BenchmarkValue>(keys: Key.Type, values: Value.Type) {
        let baseline = Candidate(MutexDictionarySubject<Key, Value>.self, workloads: [.getHit])
        let candidates = [
            Candidate(HoardSubject<Key, Value>.self),
            Candidate(NSCacheSubject<Key, Value>.self),
            baseline,
            Candidate(DictionarySubject<Key, Value>.self, workloads: [.getHit], isThreadSafe: false),
        ]
        run(candidates, baseline: baseline, types: "\(Key.name)-\(Value.name)")
    }

    private func run<Key: BenchmarkKey>(_ candidates: [Candidate<Key>], baseline: Candidate<Key>, types: String) {
        var baselineRun: (() -> Round)?
        for workload in Workload.allCases {
            var oneThread: [String: Double] = [:]
            lazy var zipf = ZipfDistribution(count: workload.population)
            for threads in workload.threadCounts {
                let model = Row(workload: workload, types: types, threads: threads, subject: "")
                let wanted = candidates.filter { $0.canRun(workload, threads: threads) && matches("\(model.name)/\($0.name)") }
                guard !wanted.isEmpty else { continue }
                let reference = baselineRun ?? prepared(baseline)
                baselineRun = reference
                for var row in measure(wanted.map { $0.make() }, model, zipf: zipf, baseline: reference) {
                    if threads == 1 { oneThread[row.subject] = row.nanoseconds.median } else { row.oneThread = oneThread[row.subject] }
                    report(row)
                }
            }
        }
    }

    /// The baseline's keys and subject serve all workloads.
    private func prepared<Key: BenchmarkKey>(_ baseline: Candidate<Key>) -> () -> Round {
        let population = Workload.getHit.population
        let length = Workload.getHit.operations(quick: quick)
        let zipf = ZipfDistribution(count: population)
        let sequence = AccessSequence<Key>(of: .getHit, zipf: zipf, round: 0, threads: 1, length: length)
        let subject = baseline.make()
        subject.prepare(.getHit, sequence)
        return { subject.run(.getHit, sequence) }
    }

    /// Every round runs the baseline and each subject once. The first round only warms up, and finds out how many operations a subject
    /// manages in the time that it is given.
    private func measure<Key: BenchmarkKey>(
        _ subjects: [Measured<Key>],
        _ model: Row,
        zipf: ZipfDistribution,
        baseline: () -> Round
    ) -> [Row] {
        let workload = model.workload
        let length = workload.operations(quick: quick)
        let trial = AccessSequence<Key>(
            of: workload,
            zipf: zipf,
            round: 0,
            threads: model.threads,
            length: max(length / 20, model.threads * 1_000)
        )
        var rows = subjects.map { Row(workload: workload, types: model.types, threads: model.threads, subject: $0.name) }
        let lengths = subjects.map { subject in
            subject.prepare(workload, AccessSequence(of: .readThrough, zipf: zipf, round: -1, threads: 1, length: workload.warmUp))
            let result = subject.run(workload, trial)
            let affordable = timePerRound * Double(result.operations) / Double(max(1, result.nanoseconds))
            return min(length, max(trial.length, Int(affordable)))
        }
        _ = baseline()
        var sequence = trial
        for round in 1...rounds {
            // Hits are the same keys again and again; all else meets keys in a new order.
            if round == 1 || workload != .getHit {
                sequence = AccessSequence(of: workload, zipf: zipf, round: round, threads: model.threads, length: length)
            }
            let reference = baseline()
            for (index, subject) in subjects.enumerated() {
                let result = subject.run(workload, sequence.prefix(lengths[index]))
                rows[index].nanoseconds.add(Double(result.nanoseconds) / Double(result.operations))
                rows[index].baseline.add(Double(reference.nanoseconds) / Double(reference.operations))
                rows[index].gets += result.outcome.gets
                rows[index].hits += result.outcome.hits
                rows[index].checksum &+= result.outcome.checksum
            }
        }
        return rows
    }

    /// Nanoseconds that one subject's turn in a round may take, more or less.
    private var timePerRound: Double { quick ? 30_000_000 : 250_000_000 }

    private func matches(_ name: String) -> Bool {
        guard let filter else { return true }
        return name.lowercased().contains(filter.lowercased())
    }
}
