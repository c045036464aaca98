// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardMessages
internal import NIOCore

/// Everything that decides how requests are answered.
struct Responder: Sendable {
    let handler: HTTPServer.Handler
    let clock: any WallClock
    /// Asked before the handler.
    var immediate: (any ImmediateResponder)?
    /// Told of every exchange.
    var observer: ExchangeObserver?

    /// How a response to an HTTP/1 request is written. Keeps the handler's remark for the observer.
    func plan(_ response: HTTPServerResponse, to exchange: Exchange) -> ResponsePlan {
        if observer != nil { exchange.cancellation.note = response.note }
        return ResponsePlan(response, to: exchange.request, keepsAlive: exchange.keepsAlive, date: HTTPDate(clock.now()).description)
    }
}
