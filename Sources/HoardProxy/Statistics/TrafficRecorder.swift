// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardNIO
internal import Synchronization

/// Tells the statistics, the access log if there is one, and the exchange's span of every exchange.
final class TrafficRecorder: Sendable {
    let statistics: ProxyStatistics
    private let log: Mutex<AccessLog?>
    /// Whether there is a log, so that no thread takes the lock in vain.
    private let hasLog: Atomic<Bool>

    private let routes: CurrentRoutes

    init(statistics: ProxyStatistics, log: AccessLog?, routes: CurrentRoutes) {
        self.statistics = statistics
        self.routes = routes
        self.log = Mutex(log)
        hasLog = Atomic(log != nil)
    }

    func record(_ report: ExchangeReport) {
        statistics.record(report)
        defer { report.trace?.end(report) }
        guard hasLog.load(ordering: .relaxed) else { return }
        // The log has a queue of its own, so it is told outside of the lock.
        guard let log = accessLog else { return }
        let trusted = routes.current.trustedProxies
        guard trusted.trusts(report.remoteAddress) else { return log.record(report) }
        var report = report
        let peer = TrustedProxies.Client(address: report.remoteAddress, scheme: report.isSecure ? "https" : "http")
        report.remoteAddress = trusted.client(behind: peer) { report.request.forwardingFields }.address
        log.record(report)
    }

    var accessLog: AccessLog? { log.withLock { $0 } }

    /// Puts another log, or none, in the place of the present one.
    ///
    /// - Returns: The one of before, which is to be closed.
    func replaceLog(with other: AccessLog?) -> AccessLog? {
        defer { hasLog.store(other != nil, ordering: .relaxed) }
        return log.withLock { log in
            defer { log = other }
            return log
        }
    }
}
