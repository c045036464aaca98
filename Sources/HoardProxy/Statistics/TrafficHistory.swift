// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The traffic in each of the last windows of time. Pure bookkeeping: time and counts are arguments.
struct TrafficHistory: Sendable {
    /// Everything that was counted until some moment.
    struct Totals: Sendable {
        var traffic = TrafficCounters()
        /// Of all tiers together.
        var latencies = LatencyHistogram()
    }

    /// The length of a window, in nanoseconds.
    let period: Int64
    /// How many closed windows are kept.
    let capacity: Int
    /// The closed windows as a ring: the oldest is at ``oldest`` once it is full.
    private var points: [ProxyStatistics.Snapshot.Point] = []
    private var oldest = 0
    /// The beginning of the open window: on the ticker, as a date, and in counts.
    private var start: Int64
    private var startDate: Double
    private var startTotals = Totals()

    init(period: Int64, capacity: Int, now: Int64, date: Double) {
        self.period = period
        self.capacity = capacity
        start = now
        startDate = date
    }

    /// When the open window ends.
    var nextEnd: Int64 { start.addingReportingOverflow(period).partialValue }

    /// Closes the window if its time is over. One that was closed too late is longer than the others, and says so.
    ///
    /// - Returns: Whether it was.
    mutating func advance(to now: Int64, date: Double, _ totals: Totals) -> Bool {
        guard now - start >= period else { return false }
        append(point(at: now, totals))
        start = now
        startDate = date
        startTotals = totals
        return true
    }

    /// The closed windows, the oldest first, and the open one as it is now.
    func points(at now: Int64, _ totals: Totals) -> [ProxyStatistics.Snapshot.Point] {
        points[oldest...] + points[..<oldest] + [point(at: now, totals)]
    }

    private mutating func append(_ point: ProxyStatistics.Snapshot.Point) {
        guard points.count == capacity else { return points.append(point) }
        points[oldest] = point
        oldest = (oldest + 1) % capacity
    }

    private func point(at now: Int64, _ totals: Totals) -> ProxyStatistics.Snapshot.Point {
        let traffic = totals.traffic - startTotals.traffic
        let latencies = totals.latencies.since(startTotals.latencies)
        return .init(
            time: startDate,
            seconds: (Double(max(0, now - start)) / 1e9).rounded(toPlaces: 3),
            requests: traffic.requests,
            hits: traffic.hits,
            bytes: traffic.bytesServed,
            bytesFromOrigin: traffic.bytesFromOrigin,
            p50: latencies.microseconds(0.5),
            p99: latencies.microseconds(0.99),
            errors: traffic.errors
        )
    }
}

extension LatencyHistogram {
    /// A percentile in microseconds, to a nanosecond.
    func microseconds(_ share: Double) -> Double { (Double(percentile(share)) / 1e3).rounded(toPlaces: 3) }
}

extension Double {
    func rounded(toPlaces places: Int) -> Double {
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        return (self * scale).rounded() / scale
    }
}
