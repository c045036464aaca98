// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import UnixSignals

/// The user's wish to end the process: SIGINT or SIGTERM.
///
/// The first signal is for the command, which ends in good order. The second one ends the process at once.
struct Termination {
    private let wish: AsyncStream<Never>

    /// From here on the two signals no longer end the process by themselves.
    init() async {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let (wish, continuation) = AsyncStream.makeStream(of: Never.self)
        self.wish = wish
        Task {
            var isFirst = true
            for await _ in signals {
                if !isFirst { exit(EXIT_FAILURE) }
                isFirst = false
                continuation.finish()
            }
        }
    }

    /// Waits for the first signal; returns at once if it has come already.
    func wait() async {
        for await _ in wish {}
    }
}
