// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardMessages
internal import NIOCore

extension BodyPipe {
    /// A pipe for the content of a request that a handler receives; it asks for content in the handler's event loop.
    convenience init(ofRequestIn eventLoop: any EventLoop, highWatermark: Int, bodyIsWanted: @escaping (BodyPipe) -> Void) {
        let bodyIsWanted = NIOLoopBound(bodyIsWanted, eventLoop: eventLoop)
        self.init(highWatermark: highWatermark, alreadyRead: RequestBodyError(.alreadyRead)) { pipe in
            if eventLoop.inEventLoop {
                bodyIsWanted.value(pipe)
            } else {
                eventLoop.execute { bodyIsWanted.value(pipe) }
            }
        }
    }
}
