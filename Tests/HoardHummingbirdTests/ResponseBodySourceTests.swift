// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardTesting
import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import HoardHummingbird

@Suite(.timeLimit(.minutes(1)))
struct ResponseBodySourceTests {
    private struct Failure: Error {}

    /// A body that is read only when a reader comes.
    private func unreadBody(_ body: ResponseBody) -> HTTPBody { ResponseBodySource.content(of: body, isRead: false) }

    /// All of a body, if it is at hand before a reader comes.
    private func contentAtHand(_ body: ResponseBody) -> ByteBuffer? { ResponseBodySource.content(of: body, isRead: true).bytesAtHand }

    private static let capacity = ResponseBodySource.capacity

    @Test
    func randomPartsArriveAsTheyWereWritten() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let parts = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                ByteBuffer(repeating: UInt8.random(in: 0...255, using: &generator), count: Int.random(in: 0...20_000, using: &generator))
            }
            let body = unreadBody(
                ResponseBody { writer in
                    for part in parts { try await writer.write(part) }
                    try await writer.finish([.eTag: "end"])
                }
            )
            var whole = ByteBuffer()
            for part in parts { whole.writeImmutableBuffer(part) }
            #expect(try await body.collect(upTo: .max) == whole, "seed \(seed)")
            #expect(body.trailers == [.eTag: "end"])
        }
    }

    @Test
    func nothingIsWrittenBeforeSomebodyReads() async throws {
        let writes = Mutex(0)
        let body = unreadBody(
            ResponseBody { writer in
                writes.withLock { $0 += 1 }
                try await writer.finish(nil)
            }
        )
        var iterator = body.makeAsyncIterator()
        #expect(writes.withLock { $0 } == 0)
        #expect(try await iterator.next() == nil)
        #expect(writes.withLock { $0 } == 1)
    }

    @Test
    func bodyOfBytesIsAtHand() {
        let bytes = ByteBuffer(string: "All of it")
        #expect(contentAtHand(ResponseBody(byteBuffer: bytes)) == bytes)
        #expect(contentAtHand(ResponseBody(contentsOf: [bytes, bytes])) == ByteBuffer(string: "All of itAll of it"))
        #expect(contentAtHand(ResponseBody()) == nil)
        #expect(contentAtHand(ResponseBody(byteBuffer: ByteBuffer(repeating: 1, count: Self.capacity))) == nil)
    }

    @Test
    func bodyThatWaitsIsReadFromItsBeginning() async throws {
        let gate = Gate()
        let body = ResponseBodySource.content(
            of: ResponseBody(contentLength: 6) { writer in
                try await writer.write(ByteBuffer(string: "abc"))
                await gate.pass()
                try await writer.write(ByteBuffer(string: "def"))
                try await writer.finish(nil)
            },
            isRead: true
        )
        #expect(body.bytesAtHand == nil)
        gate.open()
        #expect(try await body.collect(upTo: 6) == ByteBuffer(string: "abcdef"))
    }

    @Test
    func bodyThatNobodyReadsIsCancelled() async throws {
        let (begun, ended) = (Gate(isOpen: true), Gate(isOpen: true))
        do {
            let body = ResponseBodySource.content(
                of: ResponseBody(contentLength: 6) { writer in
                    await begun.pass()
                    while !Task.isCancelled { await Task.yield() }
                    await ended.pass()
                },
                isRead: true
            )
            #expect(body.bytesAtHand == nil)
            await begun.arrivals(1)
        }
        await ended.arrivals(1)
    }

    @Test(arguments: [nil, 2, 4])
    func bodyThatIsNotWhatItSaysIsNotAtHand(length: Int?) async throws {
        let body = ResponseBodySource.content(
            of: ResponseBody(contentLength: length) { writer in
                try await writer.write(ByteBuffer(string: "abc"))
                try await writer.finish(nil)
            },
            isRead: true
        )
        #expect(body.bytesAtHand == nil)
        var parts = body.makeAsyncIterator()
        #expect(try await parts.next() == ByteBuffer(string: "abc"))
        #expect(try await parts.next() == nil)
    }

    @Test
    func bodyWithTrailersOrAFailureIsNotAtHand() async throws {
        let trailing = ResponseBodySource.content(
            of: ResponseBody(contentLength: 3) { writer in
                try await writer.write(ByteBuffer(string: "abc"))
                try await writer.finish([.eTag: "end"])
            },
            isRead: true
        )
        #expect(trailing.bytesAtHand == nil)
        #expect(trailing.trailers == nil)
        #expect(try await trailing.collect(upTo: 3) == ByteBuffer(string: "abc"))
        #expect(trailing.trailers == [.eTag: "end"])
        let failing = ResponseBodySource.content(
            of: ResponseBody(contentLength: 3) { writer in
                try await writer.write(ByteBuffer(string: "abc"))
                throw Failure()
            },
            isRead: true
        )
        #expect(failing.bytesAtHand == nil)
        await #expect(throws: Failure.self) { try await failing.collect(upTo: 3) }
    }

    @Test
    func writerWaitsForItsReader() async throws {
        let written = Gate(isOpen: true)
        let body = unreadBody(
            ResponseBody { writer in
                for _ in 0..<4 {
                    try await writer.write(ByteBuffer(repeating: 1, count: Self.capacity))
                    await written.pass()
                }
                try await writer.finish(nil)
            }
        )
        var iterator = body.makeAsyncIterator()
        #expect(try await iterator.next()?.readableBytes == Self.capacity)
        // The reader waited for the first part. The second fills the pipe, and its writer waits.
        await written.arrivals(1)
        #expect(written.arrivalCount <= 1)
        #expect(try await iterator.next()?.readableBytes == Self.capacity)
        await written.arrivals(2)
        #expect(written.arrivalCount == 2)
        for _ in 0..<2 { #expect(try await iterator.next() != nil) }
        #expect(try await iterator.next() == nil)
        #expect(written.arrivalCount == 4)
    }

    @Test
    func readerThatLeavesCancelsTheWriter() async throws {
        let outcome = Gate(isOpen: true)
        let error = Mutex<(any Error)?>(nil)
        let body = unreadBody(
            ResponseBody { writer in
                do {
                    while true { try await writer.write(ByteBuffer(repeating: 1, count: Self.capacity)) }
                } catch let thrown {
                    error.withLock { $0 = thrown }
                    await outcome.pass()
                    throw thrown
                }
            }
        )
        do {
            var iterator = body.makeAsyncIterator()
            _ = try await iterator.next()
        }
        // Though the body is still there.
        await outcome.arrivals(1)
        #expect(error.withLock { $0 } is CancellationError)
        withExtendedLifetime(body) {}
    }

    @Test
    func writerThatWaitsForSomethingElseIsCancelledToo() async throws {
        let begun = Gate(isOpen: true)
        let ended = Gate(isOpen: true)
        let time = ManualTicker()
        let body = unreadBody(
            ResponseBody { writer in
                try await writer.write(ByteBuffer(string: "first"))
                await begun.pass()
                do { try await time.sleep(until: .max) } catch { await ended.pass() }
            }
        )
        do {
            var iterator = body.makeAsyncIterator()
            _ = try await iterator.next()
            await begun.arrivals(1)
        }
        await ended.arrivals(1)
        withExtendedLifetime(body) {}
    }

    @Test
    func readerThatIsCancelledGetsAnErrorAndNotTheEnd() async throws {
        let begun = Gate(isOpen: true)
        let time = ManualTicker()
        let body = unreadBody(
            ResponseBody { writer in
                await begun.pass()
                try await time.sleep(until: .max)
                try await writer.finish(nil)
            }
        )
        let reader = Task {
            var iterator = body.makeAsyncIterator()
            return try await iterator.next()
        }
        await begun.arrivals(1)
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
    }

    @Test
    func errorOfTheWriterReachesTheReaderAfterTheParts() async throws {
        let body = unreadBody(
            ResponseBody { writer in
                try await writer.write(ByteBuffer(string: "part"))
                throw Failure()
            }
        )
        var iterator = body.makeAsyncIterator()
        #expect(try await iterator.next() == ByteBuffer(string: "part"))
        await #expect(throws: Failure.self) { try await iterator.next() }
    }

    @Test
    func bodyThatIsNeverFinishedBreaksOff() async throws {
        let body = unreadBody(ResponseBody { writer in try await writer.write(ByteBuffer(string: "part")) })
        var iterator = body.makeAsyncIterator()
        #expect(try await iterator.next() == ByteBuffer(string: "part"))
        await #expect(throws: ResponseBodyError.self) { try await iterator.next() }
        #expect("\(ResponseBodyError.unfinished)".contains("finish"))
    }

    @Test
    func secondReaderGetsAnError() async throws {
        let body = unreadBody(ResponseBody(byteBuffer: ByteBuffer(string: "x")))
        var first = body.makeAsyncIterator()
        var second = body.makeAsyncIterator()
        await #expect(throws: TransportError.self) { try await second.next() }
        #expect(try await first.next() == ByteBuffer(string: "x"))
        #expect(try await first.next() == nil)
    }

    @Test(arguments: [0, 1, 2])
    func shortContentIsWholeOrNotAtAll(extra: Int) async {
        let text = ByteBuffer(string: "four")
        #expect(await ResponseBody(byteBuffer: text).shortContent() == text)
        #expect(await ResponseBody().shortContent() == ByteBuffer())
        #expect(await ResponseBody(byteBuffer: ByteBuffer(repeating: 1, count: 17 << 10)).shortContent() == nil)
        let wrong = ResponseBody(contentLength: 4 + (extra == 2 ? -1 : extra)) { writer in
            try await writer.write(text)
            try await writer.finish(nil)
        }
        #expect(await wrong.shortContent() == (extra == 0 ? text : nil))
        #expect(await ResponseBody(contentLength: 4) { _ in throw Failure() }.shortContent() == nil)
    }
}
