// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Judges the notes of the workers of a campaign. Pure: no clocks, no files.
///
/// The rule: a read of a key that began later than a *window* after an invalidation was acknowledged returns the
/// version that was current at that invalidation, or a newer one.
/// The window of a read is
///
/// - nothing, if the store or a load answered this read alone, or if the same process has invalidated: then counted from the return of the call;
/// - ``Windows/normal``, if memory answered;
/// - ``Windows/disturbed``, if memory answered and, between the acknowledgement and the read, the worker had no connection, or it may have been broken
///   without the worker knowing.
///
/// A worker that was stopped counts from the moment it went on: a process that does not run hears of nothing.
struct CoherenceChecker {
    struct Windows: Equatable {
        /// In nanoseconds.
        var normal: Int
        var disturbed: Int
        /// The time after a disturbance in which a connection may be made anew.
        var settling: Int
    }

    /// A time in which the connections of a worker, or of all workers, could not be relied on.
    struct Disturbance: Equatable {
        /// `nil`: all.
        var worker: Int?
        var start: Int
        var end: Int
    }

    /// A process, from its start to its end.
    struct Log {
        var worker: Int
        var events: [CampaignEvent]
        /// When it was stopped and went on.
        var pauses: [(start: Int, end: Int)] = []
    }

    struct Verdict {
        var violations: [String] = []
        /// The number of violations, including those without a description.
        var violationCount = 0
        var readCounts: [CampaignEvent.ReadKind: Int] = [:]
        /// Acknowledged invalidations of single keys.
        var invalidationCount = 0
        /// Those that were made good later, as the store did not answer when they were called.
        var deferredCount = 0
        /// The delays of late reads of memory in normal operation: milliseconds from the
        /// acknowledgement, for each late read.
        var delays: [Double] = []
        /// The same where connections were disturbed.
        var disturbedDelays: [Double] = []

        mutating func violate(_ text: String) {
            violationCount += 1
            if violations.count < 20 { violations.append(text) }
        }
    }

    let windows: Windows
    var disturbances: [Disturbance] = []

    func judge(_ logs: [Log]) -> Verdict {
        var verdict = Verdict()
        let acknowledgements = History(
            logs.flatMap(\.events).compactMap { event in
                if case .acknowledged(let key, let version, let time) = event { (key, version, time) } else { nil }
            }
        )
        for log in logs {
            let own = History(
                log.events.compactMap { event in
                    if case .returned(let key, let version, let time) = event { (key, version, time) } else { nil }
                }
            )
            let acknowledged = log.events.count { if case .acknowledged = $0 { true } else { false } }
            verdict.invalidationCount += acknowledged
            verdict.deferredCount += deferredCount(log)
            for event in log.events { judge(event, of: log, acknowledgements, own, &verdict) }
        }
        return verdict
    }

    private func judge(_ event: CampaignEvent, of log: Log, _ acknowledgements: History, _ own: History, _ verdict: inout Verdict) {
        switch event {
        case .returned, .acknowledged, .connection: break
        case .counted(let counts): verdict.readCounts.merge(counts, uniquingKeysWith: +)
        case .wrong(let what): verdict.violate("worker \(log.worker): \(what)")
        case .read(let key, let version, let time, let kind, let detail):
            if let invalidation = own.first(of: key, newerThan: version), invalidation.time < time {
                verdict.violate(
                    "worker \(log.worker), key \(key): read version \(version), \(milliseconds(invalidation.time, time)) ms after its own call for version "
                        + "\(invalidation.version) had returned"
                )
            }
            guard let invalidation = acknowledgements.first(of: key, newerThan: version), invalidation.time < time else { return }
            let isDisturbed = isDisturbed(log, from: invalidation.time, to: time)
            let heard = log.pauses.filter { $0.start < time && $0.end > invalidation.time }.map(\.end).max() ?? invalidation.time
            let delay = time - max(heard, invalidation.time)
            let window = kind == .direct ? 0 : isDisturbed ? windows.disturbed : windows.normal
            if kind == .near, delay > 0 {
                let late = Double(delay) / 1_000_000
                if isDisturbed { verdict.disturbedDelays.append(late) } else { verdict.delays.append(late) }
            }
            // A read that goes to the store takes the version that it finds there, whenever this process was stopped.
            if kind == .direct ? time > invalidation.time : delay > window {
                verdict.violate(
                    "worker \(log.worker), key \(key): a \(kind.rawValue) read found version \(version), \(milliseconds(invalidation.time, time)) ms after version "
                        + "\(invalidation.version) was acknowledged\(isDisturbed ? ", near a fault" : "") (\(detail))"
                )
            }
        }
    }

    private func isDisturbed(_ log: Log, from start: Int, to end: Int) -> Bool {
        disturbances.contains { ($0.worker == nil || $0.worker == log.worker) && $0.start <= end && $0.end + windows.settling >= start }
            || isDisconnected(log, from: start, to: end)
    }

    /// Whether the process knew at some time that it had no connection. Memory is dropped again when it has one.
    private func isDisconnected(_ log: Log, from start: Int, to end: Int) -> Bool {
        var standsBefore: Bool?
        for case .connection(let stands, let time) in log.events {
            if time > end { break }
            if time >= start { return true }
            standsBefore = stands
        }
        return standsBefore == false
    }

    /// Invalidations that were acknowledged more than 50 milliseconds after their calls had returned.
    private func deferredCount(_ log: Log) -> Int {
        var returns: [[Int]: Int] = [:]
        var count = 0
        for event in log.events {
            switch event {
            case .returned(let key, let version, let time): returns[[key, version]] = time
            case .acknowledged(let key, let version, let time):
                if let returned = returns[[key, version]], time - returned > 50_000_000 { count += 1 }
            default: break
            }
        }
        return count
    }

    private func milliseconds(_ start: Int, _ end: Int) -> String { Percentiles.text(Double(end - start) / 1_000_000) }
}

extension CoherenceChecker {
    /// Invalidations by key, so that the earliest one beyond a version is found quickly.
    struct History {
        typealias Invalidation = (version: Int, time: Int)
        /// For each key by version, each with the earliest time of all from it on.
        private var byKey: [Int: [Invalidation]] = [:]

        init(_ invalidations: [(key: Int, version: Int, time: Int)]) {
            for (key, version, time) in invalidations { byKey[key, default: []].append((version, time)) }
            for key in byKey.keys {
                var list = (byKey[key] ?? []).sorted { $0.version < $1.version }
                var earliest: Invalidation?
                for index in list.indices.reversed() {
                    if let known = earliest, known.time < list[index].time { list[index].time = known.time } else { earliest = list[index] }
                }
                byKey[key] = list
            }
        }

        /// The earliest invalidation of all before a version that is newer than this one.
        func first(of key: Int, newerThan version: Int) -> Invalidation? {
            guard let list = byKey[key] else { return nil }
            var (low, high) = (0, list.count)
            while low < high {
                let middle = (low + high) / 2
                if list[middle].version > version { high = middle } else { low = middle + 1 }
            }
            return low < list.count ? list[low] : nil
        }
    }
}
