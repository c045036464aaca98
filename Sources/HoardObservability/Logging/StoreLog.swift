// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Logging

/// The history of the logging about one store.
struct StoreLog: Sendable {
    /// The line to log about an event.
    struct Line: Sendable {
        var level: Logger.Level
        var message: Logger.Message
        /// The number of times that the same event has happened since it was logged last.
        var suppressed = 0
        /// The time for which the store has failed.
        var outage: Duration?
    }

    /// Something that is logged loudly now and then, and quietly otherwise.
    private struct Occasion: Sendable {
        private var lastLogged: Int64?
        private var suppressed = 0

        /// - Returns: How often it has been suppressed before, if it is to be logged now.
        mutating func occur(at now: Int64, interval: Int64) -> Int? {
            if let suppressed = log(at: now, interval: interval) { return suppressed }
            suppressed += 1
            return nil
        }

        /// The same for something that has been counted when it occurred.
        mutating func log(at now: Int64, interval: Int64) -> Int? {
            if let lastLogged, now - lastLogged < interval { return nil }
            lastLogged = now
            defer { suppressed = 0 }
            return suppressed
        }
    }

    private var failures = Occasion()
    private var rejections = Occasion()
    private var unencodedValues = Occasion()
    private var overflows = Occasion()
    /// Since when the store has failed.
    private var failingSince: Int64?
    /// Whether that has been logged loudly, so that its end is to be logged as well.
    private var hasWarned = false

    mutating func line(for kind: TieredCacheEvent.Kind, at now: Int64, interval: Int64) -> Line {
        switch kind {
        case .storeFailed: lineForFailure(at: now, interval: interval)
        case .storeRecovered: lineForRecovery(at: now)
        case .recordRejected: line(.notice, "Cache record rejected", rejections.occur(at: now, interval: interval))
        case .valueNotEncoded: line(.notice, "Cache value not encoded", unencodedValues.occur(at: now, interval: interval))
        case .journalOverflowed:
            line(.warning, "Cache store has missed too many invalidations, and is emptied", overflows.occur(at: now, interval: interval))
        case .circuitOpened: overdueWarning(at: now, interval: interval) ?? Line(level: .debug, message: "Cache store is left alone")
        case .circuitClosed: Line(level: .debug, message: "Cache store is used again")
        default: Line(level: .debug, message: "Cache event")
        }
    }

    private mutating func lineForFailure(at now: Int64, interval: Int64) -> Line {
        guard failingSince == nil else {
            return overdueWarning(at: now, interval: interval) ?? Line(level: .debug, message: "Cache store is failing")
        }
        failingSince = now
        let suppressed = failures.occur(at: now, interval: interval)
        hasWarned = suppressed != nil
        return line(.warning, "Cache store is failing", suppressed)
    }

    /// The warning about a failure that lasts, and whose beginning came too soon after another to be logged loudly.
    private mutating func overdueWarning(at now: Int64, interval: Int64) -> Line? {
        guard failingSince != nil, !hasWarned, let suppressed = failures.log(at: now, interval: interval) else { return nil }
        hasWarned = true
        return line(.warning, "Cache store is failing", suppressed)
    }

    private mutating func lineForRecovery(at now: Int64) -> Line {
        defer {
            failingSince = nil
            hasWarned = false
        }
        return Line(
            level: hasWarned ? .notice : .debug,
            message: "Cache store works again",
            outage: failingSince.map { .nanoseconds(now - $0) }
        )
    }

    private func line(_ level: Logger.Level, _ message: Logger.Message, _ suppressed: Int?) -> Line {
        Line(level: suppressed == nil ? .debug : level, message: message, suppressed: suppressed ?? 0)
    }
}
