// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

extension ResponseBody {
    /// Returns the bytes of a body that is known to be short, such as that of an error; `nil` if it is long, has no known length, or breaks off.
    func shortContent() async -> ByteBuffer? {
        guard let contentLength, contentLength <= 16 << 10 else { return nil }
        let collector = Collector(expectedLength: contentLength)
        do {
            try await write(collector)
        } catch {
            return nil
        }
        return collector.bytes.readableBytes == contentLength ? collector.bytes : nil
    }
}

private final class Collector: ResponseBodyWriter {
    private struct TooLong: Error {}

    private let expectedLength: Int
    var bytes = ByteBuffer()

    init(expectedLength: Int) { self.expectedLength = expectedLength }

    func write(_ buffer: ByteBuffer) async throws {
        guard bytes.readableBytes + buffer.readableBytes <= expectedLength else { throw TooLong() }
        bytes.writeImmutableBuffer(buffer)
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
