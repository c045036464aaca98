// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Requests that ``FrontHandler`` has sent on without having them parsed. Until they have been answered, the connection is as busy as with an exchange.
extension ConnectionHandler {
    func beginUnparsedExchange() {
        guard let context = ownContext else { return }
        machine.exchangeStarted(keepsAlive: true)
        _ = machine.requestEnded()
        timing.exchangeStarted(now: context.eventLoop.now)
        armTimer(context: context)
    }

    /// The request is parsed after all.
    func relayIsWithdrawn() {
        if machine.exchangeWithdrawn() { isLastRequestDue = true }
    }

    /// The kernel has taken the whole response.
    func relayIsWritten() {
        guard let context = ownContext else { return }
        perform(machine.responseFlushed(missingByteCount: 0), context: context)
    }
}
