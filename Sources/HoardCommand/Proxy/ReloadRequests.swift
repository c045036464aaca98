// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import UnixSignals

/// The operator's wishes to have the settings read anew: SIGHUP. Those that come while one is being met are met together afterwards.
struct ReloadRequests: AsyncSequence {
    typealias Element = Void

    private let requests: AsyncStream<Void>

    /// From here on SIGHUP no longer ends the process.
    init() async {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        let (requests, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.requests = requests
        Task {
            for await _ in signals { continuation.yield() }
        }
    }

    func makeAsyncIterator() -> AsyncStream<Void>.Iterator { requests.makeAsyncIterator() }
}
