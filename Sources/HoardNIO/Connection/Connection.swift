// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardEventLoops
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// A client's connection: answers its requests one after the other.
struct Connection: Sendable {
    let channel: NIOAsyncChannel<Exchange, HTTPServerResponsePart>
    let executor: EventLoopTaskExecutor
    let responder: Responder
    let logger: Logger

    /// Serves the connection until either side closes it. The connection is closed on return.
    func run() async {
        do {
            try await channel.executeThenClose { exchanges, responses in
                for try await exchange in exchanges {
                    // A task of its own can be cancelled, and this one can still write what the handler returns all the same.
                    let answer = Task(executorPreference: executor) {
                        try await responder.respond(to: exchange, through: responses)
                    }
                    exchange.cancellation.attach { answer.cancel() }
                    do {
                        try await responses.write(contentsOf: answer.value)
                    } catch {
                        logger.debug("A response was given up", metadata: ["error": "\(error)"])
                        return
                    }
                }
            }
        } catch {
            logger.debug("A connection failed", metadata: ["error": "\(error)"])
        }
    }
}
