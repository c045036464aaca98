// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardMessages
internal import NIOCore
internal import NIOHTTP1

/// The account of an exchange for an observer, collected while the exchange goes on.
struct ExchangeAccount {
    let request: HTTPRequest
    let version: HTTPVersion
    let start: NIODeadline
    var status = 0
    var firstByte: NIODeadline?
    var contentByteCount = 0

    init(request: HTTPRequest, version: HTTPVersion, start: NIODeadline) {
        self.request = request
        self.version = version
        self.start = start
    }

    mutating func responseStarted(status: Int, now: NIODeadline) {
        self.status = status
        firstByte = now
    }
}

extension ConnectionHandler {
    /// Tells the observer of the exchange in progress, unless it has been told already.
    func report(_ exchange: Current, isComplete: Bool) {
        guard let observer, let account = exchange.account else { return }
        let now = ownContext?.eventLoop.now ?? account.start
        // Nothing was sent: the connection has ended before.
        let isAbandoned = account.status == 0
        observer(
            ExchangeReport(
                request: .head(account.request),
                version: account.version,
                isSecure: info.isSecure,
                remoteAddress: info.remoteAddress,
                status: isAbandoned ? ExchangeReport.abandonedStatus : account.status,
                contentByteCount: account.contentByteCount,
                receivedByteCount: exchange.receivedByteCount,
                isComplete: isComplete,
                timeToFirstByte: .nanoseconds(((account.firstByte ?? now) - account.start).nanoseconds),
                duration: .nanoseconds((now - account.start).nanoseconds),
                note: exchange.cancellation.note,
                isAbandoned: isAbandoned
            )
        )
    }

    /// Tells the observer of exchanges that were answered together.
    func report(_ reports: [ExchangeReport], isComplete: Bool, since start: NIODeadline, now: NIODeadline) {
        guard let observer else { return }
        for var report in reports {
            report.isComplete = isComplete
            report.duration = .nanoseconds((now - start).nanoseconds)
            observer(report)
        }
    }

    func reportRejection(_ status: Int, contentByteCount: Int) {
        observer?(
            ExchangeReport(
                request: .invalid,
                version: .http1_1,
                isSecure: info.isSecure,
                remoteAddress: info.remoteAddress,
                status: status,
                contentByteCount: contentByteCount,
                isComplete: true,
                timeToFirstByte: .zero,
                duration: .zero,
                note: nil
            )
        )
    }
}
