// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Figures about some of a run's requests.
struct Summary: Sendable, Equatable {
    var requests = 0
    var fresh = 0
    var stale = 0
    var failed = 0
    /// The failed requests for which no service could have had a value.
    var failedUnknown = 0
    var databaseCalls = 0
    /// Half of the requests took no longer than this.
    var median = Duration.zero
    var p99 = Duration.zero
    var maximum = Duration.zero
    /// How long ago the oldest answer was read from the database, if there is an answer.
    var maximumAge: Duration?

    init(outcomes: [Outcome], databaseCalls: Int) {
        requests = outcomes.count
        self.databaseCalls = databaseCalls
        for outcome in outcomes {
            switch outcome.answer {
            case .fresh: fresh += 1
            case .stale: stale += 1
            case .failed: failed += 1
            case .failedUnknown:
                failed += 1
                failedUnknown += 1
            }
        }
        let latencies = outcomes.map(\.latency).sorted()
        median = latencies.quantile(0.5)
        p99 = latencies.quantile(0.99)
        maximum = latencies.last ?? .zero
        maximumAge = outcomes.compactMap(\.age).max()
    }

    var errorRatio: Double { requests == 0 ? 0 : Double(failed) / Double(requests) }
}

extension [Duration] {
    /// The smallest element such that at least this share of the elements is no greater ("nearest
    /// rank"). The array must be sorted.
    func quantile(_ share: Double) -> Duration {
        guard !isEmpty else { return .zero }
        return self[Swift.min(count - 1, Swift.max(0, Int((share * Double(count)).rounded(.up)) - 1))]
    }
}

extension Run {
    /// One summary for each phase: of the requests, and of the calls of the database, that came in it.
    var phaseSummaries: [Summary] {
        scenario.phases.indices.map { phase in
            Summary(
                outcomes: outcomes.filter { scenario.phase(at: $0.time) == phase },
                databaseCalls: calls.count { $0.phase == phase }
            )
        }
    }

    /// One summary for each piece of time of the given length.
    func summaries(every length: Duration) -> [Summary] {
        let count = Int((scenario.duration.seconds / length.seconds).rounded(.up))
        func number(_ time: Duration) -> Int { min(count - 1, Int(time.seconds / length.seconds)) }
        var pieces = [[Outcome]](repeating: [], count: count)
        var calls = [Int](repeating: 0, count: count)
        for outcome in outcomes { pieces[number(outcome.time)].append(outcome) }
        for call in self.calls { calls[number(call.time)] += 1 }
        return zip(pieces, calls).map { Summary(outcomes: $0, databaseCalls: $1) }
    }
}
