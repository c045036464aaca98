// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// Tells when the origin has stopped taking a request's content.
///
/// The client itself has a time limit for the origin's bytes, but none for the bytes that the origin takes.
final class UploadProgress: Sendable {
    private let ticker = MonotonicTicker()
    /// Since when the client has not asked for more; `nil` while it waits for the source, and when it has everything.
    private let idleSince = Mutex<Int64?>(nil)

    /// The client has been given a part, and will ask for the next one when the network has taken enough of it.
    func partWasTaken() {
        let now = ticker.nanoseconds()
        idleSince.withLock { $0 = now }
    }

    /// The client asks for the next part.
    func nextPartIsWanted() {
        idleSince.withLock { $0 = nil }
    }

    /// Returns when the client has not asked for more for `timeout`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before that.
    func waitUntilStalled(for timeout: Duration) async throws {
        while true {
            let idleSince = idleSince.withLock { $0 }
            // By the ticker, whose sleeps leave nothing behind when they are cancelled.
            try await ticker.sleep(until: (idleSince ?? ticker.nanoseconds()).addingSaturated(timeout.saturatingNanoseconds))
            if let idleSince, self.idleSince.withLock({ $0 }) == idleSince { return }
        }
    }
}
