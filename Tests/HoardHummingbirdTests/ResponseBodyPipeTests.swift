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
struct ResponseBodyPipeTests {
    private struct Failure: Error {}

    private static let capacity = BodyPipeState.capacity

    @Test
    func randomPartsArriveAsTheyWereWritten() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let parts = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                ByteBuffer(repeating: UInt8.random(in: 0...255, using: &generator), count: Int.random(in: 0...20_000, using: &generator))
            }
            let pipe = ResponseBodyPipe(
                ResponseBody { writer in
                    for part in parts { try await writer.write(part) }
                    try await writer.finish([.eTag: "end"])
                }
            )
            let body = HTTPBody(pipe, length: nil) { pipe.trailers }
            var whole = ByteBuffer()
            for part in parts { whole.writeImmutableBuffer(part) }
            #expect(try await body.collect(upTo: .max) == whole, "seed \(seed)")
            #expect(body.trailers == [.eTag: "end"])
        }
    }

    @Test
    func nothingIsWrittenBeforeSomebodyReads() async throws {
        let writes = Mutex(0)
        let pipe = ResponseBodyPipe(
            ResponseBody { writer in
                writes.withLock { $0 += 1 }
                try await writer.finish(nil)
            }
        )
        var iterator = pipe.makeAsyncIterator()
        #expect(writes.withLock { $0 } == 0)
        #expect(try await iterator.next() == nil)
        #expect(writes.withLock { $0 } == 1)
    }

    @Test
    func bodyOfBytesIsAtHand() {
        let bytes = ByteBuffer(string: "All of it")
        #expect(ResponseBodyPipe(ResponseBody(byteBuffer: bytes)).contentAtHand() == bytes)
        #expect(ResponseBodyPipe(ResponseBody(contentsOf: [bytes, bytes])).contentAtHand() == ByteBuffer(string: "All of itAll of it"))
        #expect(ResponseBodyPipe(ResponseBody()).contentAtHand() == nil)
        #expect(ResponseBodyPipe(ResponseBody(byteBuffer: ByteBuffer(repeating: 1, count: Self.capacity))).contentAtHand() == nil)
    }

    @Test
    func bodyThatWaitsIsReadFromItsBeginning() async throws {
        let gate = Gate()
        let pipe = ResponseBodyPipe(
            ResponseBody(contentLength: 6) { writer in
                try await writer.write(ByteBuffer(string: "abc"))
                await gate.pass()
                try await writer.write(ByteBuffer(string: "def"))
                try await writer.finish(nil)
            }
        )
        #expect(pipe.contentAtHand() == nil)
        gate.open()
        #expect(try await HTTPBody(pipe, length: 6).collect(upTo: 6) == ByteBuffer(string: "abcdef"))
    }

    @Test
    func bodyThatNobodyReadsIsCancelled() async throws {
        let (begun, ended) = (Gate(isOpen: true), Gate(isOpen: true))
        do {
            let pipe = ResponseBodyPipe(
                ResponseBody(contentLength: 6) { writer in
                    await begun.pass()
                    while !Task.isCancelled { await Task.yield() }
                    await ended.pass()
                }
            )
            let content = pipe.content
            #expect(pipe.contentAtHand() == nil)
            await begun.arrivals(1)
            _ = content
        }
        await ended.arrivals(1)
    }

    @Test(arguments: [nil, 2, 4])
    func bodyThatIsNotWhatItSaysIsNotAtHand(length: Int?) async throws {
        let pipe = ResponseBodyPipe(
            ResponseBody(contentLength: length) { writer in
                try await writer.write(ByteBuffer(string: "abc"))
                try await writer.finish(nil)
            }
        )
        #expect(pipe.contentAtHand() == nil)
        #expect(try await HTTPBody(pipe, length: nil).collect(upTo: 6) == ByteBuffer(string: "abc"))
    }

    @Test
    func bodyWithTrailersOrAFailureIsNotAtHand() async throws {
        let trailing = ResponseBodyPipe(
            ResponseBody(contentLength: 3) { writer in
                try await writer.write(ByteBuffer(string: "abc"))
                try await writer.finish([.eTag: "end"])
            }
        )
        #expect(trailing.contentAtHand() == nil)
        #expect(try await HTTPBody(trailing, length: 3).collect(upTo: 3) == ByteBuffer(string: "abc"))
        #expect(trailing.trailers == [.eTag: "end"])
        let failing = ResponseBodyPipe(
            ResponseBody(contentLength: 3) { writer in
                try await writer.write(ByteBuffer(string: "abc"))
                throw Failure()
            }
        )
        #expect(failing.contentAtHand() == nil)
        await #expect(throws: Failure.self) { try await HTTPBody(failing, length: 3).collect(upTo: 3) }
    }

    @Test
    func writerWaitsForItsReader() async throws {
        let written = Gate(isOpen: true)
        let pipe = ResponseBodyPipe(
            ResponseBody { writer in
                for _ in 0..<4 {
                    try await writer.write(ByteBuffer(repeating: 1, count: Self.capacity))
                    await written.pass()
                }
                try await writer.finish(nil)
            }
        )
        var iterator = pipe.makeAsyncIterator()
        #expect(try await iterator.next()?.readableBytes == Self.capacity)
        // The first part was delivered. The second fills the pipe, and its writer waits.
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
        let pipe = ResponseBodyPipe(
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
            var iterator = pipe.makeAsyncIterator()
            _ = try await iterator.next()
        }
        await outcome.arrivals(1)
        #expect(error.withLock { $0 } is CancellationError)
    }

    @Test
    func writerThatWaitsForSomethingElseIsCancelledToo() async throws {
        let begun = Gate(isOpen: true)
        let ended = Gate(isOpen: true)
        let time = ManualTicker()
        let pipe = ResponseBodyPipe(
            ResponseBody { writer in
                try await writer.write(ByteBuffer(string: "first"))
                await begun.pass()
                do { try await time.sleep(until: .max) } catch { await ended.pass() }
            }
        )
        do {
            var iterator = pipe.makeAsyncIterator()
            _ = try await iterator.next()
            await begun.arrivals(1)
        }
        await ended.arrivals(1)
    }

    @Test
    func readerThatIsCancelledGetsAnErrorAndNotTheEnd() async throws {
        let begun = Gate(isOpen: true)
        let time = ManualTicker()
        let pipe = ResponseBodyPipe(
            ResponseBody { writer in
                await begun.pass()
                try await time.sleep(until: .max)
                try await writer.finish(nil)
            }
        )
        let reader = Task {
            var iterator = pipe.makeAsyncIterator()
            return try await iterator.next()
        }
        await begun.arrivals(1)
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
    }

    @Test
    func errorOfTheWriterReachesTheReaderAfterTheParts() async throws {
        let pipe = ResponseBodyPipe(
            ResponseBody { writer in
                try await writer.write(ByteBuffer(string: "part"))
                throw Failure()
            }
        )
        var iterator = pipe.makeAsyncIterator()
        #expect(try await iterator.next() == ByteBuffer(string: "part"))
        await #expect(throws: Failure.self) { try await iterator.next() }
    }

    @Test
    func bodyThatIsNeverFinishedBreaksOff() async throws {
        let pipe = ResponseBodyPipe(ResponseBody { writer in try await writer.write(ByteBuffer(string: "part")) })
        var iterator = pipe.makeAsyncIterator()
        #expect(try await iterator.next() == ByteBuffer(string: "part"))
        await #expect(throws: ResponseBodyError.self) { try await iterator.next() }
        #expect("\(ResponseBodyError.unfinished)".contains("finish"))
    }

    @Test
    func secondReaderGetsAnError() async throws {
        let pipe = ResponseBodyPipe(ResponseBody(byteBuffer: ByteBuffer(string: "x")))
        var first = pipe.makeAsyncIterator()
        var second = pipe.makeAsyncIterator()
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
