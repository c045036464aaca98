// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Synchronization

extension ConnectionDriver {
    /// Hands out replies that have arrived together. On the event loop.
    ///
    /// - Parameter sinks: Space to work with, empty.
    /// - Returns: Whether there was a command for each.
    func replied(_ replies: [RESPValue], _ sinks: inout [ReplySink?]) -> Bool {
        if replies.isEmpty { return true }
        let isComplete = state.withLock { state in
            for _ in replies.indices {
                let (wasAwaited, sink) = state.queue.takeFirst()
                guard wasAwaited else { return false }
                sinks.append(sink)
            }
            return true
        }
        for index in sinks.indices { sinks[index]?.complete(.success(replies[index])) }
        sinks.removeAll(keepingCapacity: true)
        return isComplete
    }

    /// The server tells something by itself. On the event loop.
    func pushed(_ elements: [RESPValue]) {
        onEvent(.push(elements))
    }
}
