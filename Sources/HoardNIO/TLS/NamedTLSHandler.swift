// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// Reads the host that a client names at the beginning of a TLS connection, and has the connection encrypted with that host's certificate.
enum NamedTLSHandler {
    /// A fatal alert, `unrecognized_name`, of TLS 1.2 and before, as nothing has been agreed on yet: [RFC 6066 §3](https://www.rfc-editor.org/rfc/rfc6066#section-3).
    private static let unrecognizedName: [UInt8] = [21, 3, 1, 0, 2, 2, 112]

    /// Adds it to a pipeline, where it takes its own place.
    static func add(_ contexts: NamedContexts, to channel: any Channel) throws {
        let handler = ByteToMessageHandler(
            SNIHandler { result in
                channel.eventLoop.makeCompletedFuture {
                    let host: String? = if case .hostname(let name) = result { name } else { nil }
                    let pipeline = channel.pipeline.syncOperations
                    guard let context = contexts.context(forHost: host) else {
                        channel.writeAndFlush(ByteBuffer(bytes: unrecognizedName), promise: nil)
                        channel.close(promise: nil)
                        throw ChannelError.ioOnClosedChannel
                    }
                    let place = try pipeline.context(handlerType: ByteToMessageHandler<SNIHandler>.self).handler
                    try pipeline.addHandler(NIOSSLServerHandler(context: context), position: .after(place))
                }
            }
        )
        try channel.pipeline.syncOperations.addHandler(handler)
    }
}
