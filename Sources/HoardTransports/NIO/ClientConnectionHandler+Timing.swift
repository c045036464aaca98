// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

extension ClientConnectionHandler {
    /// The pool keeps the connection, whether it has been used or not.
    func kept(context: ChannelHandlerContext) {
        machine.kept()
        timing.kept(now: context.eventLoop.now)
        armTimer(context: context)
    }

    /// Makes sure that the timer fires no later than the deadline.
    func armTimer(context: ChannelHandlerContext) {
        guard context.channel.isActive, timing.needsTimer() else { return }
        timing.timerStarted(
            context.eventLoop.assumeIsolated().scheduleTask(deadline: timing.deadline) {
                self.timing.timerFired()
                self.timerFired(context: context)
            }
        )
    }

    private func timerFired(context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        if current != nil || relay != nil {
            if current?.isBodyFull == true, !limits.limitsReaders { timing.progressed(now: now) }
            let pendingByteCount = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
            if timing.isStalled(pendingByteCount: pendingByteCount, now: now) {
                close(timing.stallError, context: context)
                return
            }
        } else if now >= timing.deadline {
            // The pool may have lent the connection to a request that has not arrived yet. Its arrival, or giving the connection back, sets the timer again.
            guard let owner, owner.pool.takeIdle(owner.connection) else { return }
            machine.closed()
            context.close(promise: nil)
            return
        }
        armTimer(context: context)
    }
}
