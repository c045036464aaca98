// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardMessages
internal import NIOCore

extension ConnectionHandler {
    /// Bytes have arrived from the client that have not been answered at once.
    ///
    /// - Parameter forParser: The parser gets them now. If not, ``FrontHandler`` holds them.
    func bytesArrived(forParser: Bool) {
        // Not the caller's: the bytes that a timer writes have to go through the encoder.
        guard let context = ownContext else { return }
        let now = context.eventLoop.now
        timing.received(now: now)
        if machine.isIdle, !timing.hasHeadBegun {
            timing.headBytesArrived(now: now)
            armTimer(context: context)
        } else if forParser, !machine.isIdle, !machine.isReceiving {
            hasPartialHeadInParser = true
        }
    }

    /// Requests have been answered without an exchange. Costs no work on timers, as a rule: the one that runs is checked when it fires.
    ///
    /// - Parameter byteCount: The length of the answers.
    func answeredAtOnce(byteCount: Int, now: NIODeadline) {
        timing.wrote(byteCount: byteCount)
        timing.becameIdle(now: now)
        // A connection may be idle for a shorter time than its first head may take.
        if timing.deadline < timing.timerDeadline, let context = ownContext { armTimer(context: context) }
    }

    /// Makes sure that the timer fires no later than the deadline.
    func armTimer(context: ChannelHandlerContext) {
        guard context.channel.isActive, timing.timer == nil || timing.deadline < timing.timerDeadline else { return }
        timing.timer?.cancel()
        timing.timerDeadline = timing.deadline
        timing.timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: timing.deadline) {
            self.timing.timer = nil
            self.timerFired(context: context)
        }
    }

    private func timerFired(context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        if now >= timing.deadline {
            // A connection over TLS waits for the client's answer before it is closed. There is nothing to be timed until then.
            if machine.isLingering || machine.isIdle && !timing.hasHeadBegun {
                context.close(promise: nil)
                return
            }
            if machine.isIdle {
                reject(.headTimedOut, context: context)
            } else {
                sample(now: now, context: context)
            }
        }
        armTimer(context: context)
    }

    /// Looks for progress in an exchange.
    private func sample(now: NIODeadline, context: ChannelHandlerContext) {
        timing.sampled(now: now)
        let pendingByteCount = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        if timing.isSendingStalled(pendingByteCount: pendingByteCount, now: now) {
            // Through the whole pipeline, for a response that only the connection's end would end is reset.
            context.channel.close(promise: nil)
            return
        }
        if let isOver = current?.tunnel?.isOver(byteCount: timing.receivedByteCount + timing.writtenByteCount - pendingByteCount, now: now) {
            if isOver { context.channel.close(promise: nil) }
            return
        }
        let isClientWaitedFor = machine.isDraining || current?.body?.isReaderWaiting == true
        if timing.isReceivingStalled(isWaitedFor: machine.isReceiving && isClientWaitedFor, now: now) {
            current?.body?.fail(RequestBodyError(.timedOut))
            perform(machine.requestFailed(), context: context)
        }
    }
}
