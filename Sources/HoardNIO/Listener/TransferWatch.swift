// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Decides whether a transfer is too slow: whether nothing moved for too long, or too little over half a minute.
struct TransferWatch {
    /// Over how long the rate is averaged.
    static let window = TimeAmount.seconds(30)

    private let stallTimeout: TimeAmount
    private let minimumBytesPerSecond: Int
    private var progress = (byteCount: 0, since: NIODeadline.distantPast)
    private var average = (byteCount: 0, since: NIODeadline.distantPast)

    /// - Parameters:
    ///   - stallTimeout: How long nothing may move.
    ///   - minimumBytesPerSecond: 0 for any.
    init(stallTimeout: TimeAmount = .nanoseconds(.max), minimumBytesPerSecond: Int) {
        self.stallTimeout = stallTimeout
        self.minimumBytesPerSecond = minimumBytesPerSecond
    }

    /// Looks at the transfer. To be called several times in each of the periods that it judges.
    ///
    /// - Parameters:
    ///   - isWaiting: Whether the other side is waited for. Time in which it is not does not count.
    ///   - byteCount: How much has been moved in all.
    /// - Returns: Whether it is too slow.
    mutating func sample(isWaiting: Bool, byteCount: Int, now: NIODeadline) -> Bool {
        guard isWaiting else {
            progress = (byteCount, now)
            average = (byteCount, now)
            return false
        }
        if byteCount != progress.byteCount || progress.since == .distantPast { progress = (byteCount, now) }
        if average.since == .distantPast { average = (byteCount, now) }
        if now - progress.since >= stallTimeout { return true }
        let time = now - average.since
        guard minimumBytesPerSecond > 0, time >= Self.window else { return false }
        let seconds = Double(time.nanoseconds) / 1e9
        if Double(byteCount - average.byteCount) < Double(minimumBytesPerSecond) * seconds { return true }
        average = (byteCount, now)
        return false
    }
}
