// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Tells when a WebSocket is to be closed: nothing has passed through it for too long, or it has been open for too long.
struct TunnelWatch {
    private let idleTimeout: TimeAmount
    private let end: NIODeadline
    private var byteCount = 0
    private var lastChange: NIODeadline

    init(_ limits: HTTPServer.Configuration.WebSockets, now: NIODeadline) {
        // Beyond ten years, deadlines could overflow, and no client waits that long.
        let longest = Duration.seconds(3_650 * 86_400)
        idleTimeout = TimeAmount(min(limits.idleTimeout, longest))
        end = now + TimeAmount(min(limits.totalTimeout ?? longest, longest))
        lastChange = now
    }

    /// - Parameter byteCount: How many bytes have passed in both directions since the beginning.
    mutating func isOver(byteCount: Int, now: NIODeadline) -> Bool {
        if byteCount != self.byteCount {
            self.byteCount = byteCount
            lastChange = now
        }
        return now >= end || now - lastChange >= idleTimeout
    }
}
