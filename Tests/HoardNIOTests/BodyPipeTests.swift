// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import Testing

@testable import HoardMessages
@testable import HoardNIO

@Suite(.timeLimit(.minutes(5)))
struct BodyPipeTests {
    private let wanted = Counter()

    private func makePipe(highWatermark: Int = 10) -> BodyPipe {
        BodyPipe(highWatermark: highWatermark, alreadyRead: RequestBodyError(.alreadyRead)) { [wanted] _ in wanted.add() }
    }

    @Test func partsComeOutAsTheyWentIn() async throws {
        let pipe = makePipe()
        for text in ["a", "bc", "def"] { #expect(pipe.push(ByteBuffer(string: text))) }
        pipe.finish()
        var texts: [String] = []
        for try await part in pipe { texts.append(String(buffer: part)) }
        #expect(texts == ["a", "bc", "def"])
        #expect(wanted.value == 0)
    }

    @Test func readerThatWaitsAsksForMoreAndGetsIt() async throws {
        let pipe = makePipe()
        async let part = {
            var parts = pipe.makeAsyncIterator(); return try await parts.next()
        }()
        await wanted.wait(for: 1)
        #expect(pipe.isReaderWaiting)
        #expect(pipe.push(ByteBuffer(string: "a")))
        #expect(try await part == ByteBuffer(string: "a"))
        #expect(!pipe.isReaderWaiting)
    }

    @Test func fullPipeAsksForMoreWhenHalfOfItHasBeenTaken() async throws {
        let pipe = makePipe(highWatermark: 10)
        #expect(pipe.push(ByteBuffer(string: "1234")))
        #expect(pipe.push(ByteBuffer(string: "5678")))
        #expect(!pipe.push(ByteBuffer(string: "90")))
        var parts = pipe.makeAsyncIterator()
        _ = try await parts.next()
        #expect(wanted.value == 0)
        _ = try await parts.next()
        #expect(wanted.value == 1)
        _ = try await parts.next()
        #expect(wanted.value == 1)
    }

    @Test func fullPipeStaysFullForAllWhoPushUntilHalfOfItHasBeenTaken() async throws {
        let pipe = makePipe(highWatermark: 10)
        #expect(pipe.push(ByteBuffer(string: "1234")))
        #expect(!pipe.push(ByteBuffer(string: "567890")))
        #expect(pipe.isFull)
        var parts = pipe.makeAsyncIterator()
        _ = try await parts.next()
        #expect(!pipe.push(ByteBuffer(string: "1")))
        #expect(wanted.value == 0)
        _ = try await parts.next()
        #expect(wanted.value == 1)
        #expect(!pipe.isFull)
    }

    @Test func trailersAreThereWhenTheReaderHasComeToTheEnd() async throws {
        let pipe = makePipe()
        #expect(pipe.push(ByteBuffer(string: "a")))
        pipe.setTrailers([.eTag: "end"])
        pipe.finish()
        #expect(pipe.whole(byteCount: 1) == nil)
        #expect(pipe.trailers == nil)
        var parts = pipe.makeAsyncIterator()
        _ = try await parts.next()
        #expect(pipe.trailers == nil)
        #expect(try await parts.next() == nil)
        #expect(pipe.trailers == [.eTag: "end"])
    }

    @Test func contentIsWholeOnlyIfItHasEndedWithItsLengthAndNobodyReads() {
        let pipe = makePipe(highWatermark: 100)
        #expect(pipe.push(ByteBuffer(string: "ab")))
        #expect(pipe.push(ByteBuffer(string: "cd")))
        #expect(pipe.whole(byteCount: 4) == nil)
        pipe.finish()
        #expect(pipe.whole(byteCount: 3) == nil)
        #expect(pipe.whole(byteCount: 4) == ByteBuffer(string: "abcd"))
        _ = pipe.makeAsyncIterator()
        #expect(pipe.whole(byteCount: 4) == nil)
    }

    /// As when a user breaks off while the response is still there, and when no reader comes at all.
    @Test(arguments: [true, false]) func bodyIsReleasedWithItsReaderOrUnread(isRead: Bool) async throws {
        let releases = Counter()
        let pipe = makePipe()
        #expect(pipe.push(ByteBuffer(string: "a")))
        var body: HTTPBody? = pipe.body(length: nil) { releases.add() }
        if isRead {
            do {
                var parts = try #require(body).makeAsyncIterator()
                #expect(try await parts.next() == ByteBuffer(string: "a"))
                #expect(releases.value == 0)
                withExtendedLifetime(parts) {}
            }
            #expect(releases.value == 1)
        }
        body = nil
        #expect(releases.value == 1)
    }

    @Test func endWakesTheReader() async throws {
        let pipe = makePipe()
        async let part = {
            var parts = pipe.makeAsyncIterator(); return try await parts.next()
        }()
        await wanted.wait(for: 1)
        pipe.finish()
        #expect(try await part == nil)
    }

    @Test func failureWakesTheReaderAndStays() async throws {
        let pipe = makePipe()
        let reader = Task {
            var parts = pipe.makeAsyncIterator()
            var codes: [RequestBodyError.Code] = []
            for _ in 0..<2 {
                do { _ = try await parts.next() } catch let error as RequestBodyError { codes.append(error.code) }
            }
            return codes
        }
        await wanted.wait(for: 1)
        pipe.fail(RequestBodyError(.timedOut))
        pipe.fail(RequestBodyError(.connectionClosed))
        pipe.finish()
        #expect(try await reader.value == [.timedOut, .timedOut])
    }

    @Test func failureDropsWhatHasNotBeenRead() async throws {
        let pipe = makePipe()
        _ = pipe.push(ByteBuffer(string: "a"))
        pipe.finish()
        pipe.fail(RequestBodyError(.responseEnded))
        var parts = pipe.makeAsyncIterator()
        let error = await #expect(throws: RequestBodyError.self) { try await parts.next() }
        #expect(error?.code == .responseEnded)
        #expect(pipe.push(ByteBuffer(string: "b")))
    }

    @Test func failureAfterTheEndHasNoEffect() async throws {
        let pipe = makePipe()
        pipe.finish()
        pipe.fail(RequestBodyError(.responseEnded))
        var parts = pipe.makeAsyncIterator()
        #expect(try await parts.next() == nil)
    }

    @Test func cancelledReaderStopsWaitingAndAnotherCallMayGoOn() async throws {
        let pipe = makePipe()
        let reader = Task {
            var parts = pipe.makeAsyncIterator()
            do {
                _ = try await parts.next()
                return ByteBuffer()
            } catch is CancellationError {
                return try await Task.detached { [parts] in
                    var parts = parts
                    return try await parts.next() ?? ByteBuffer()
                }.value
            }
        }
        await wanted.wait(for: 1)
        reader.cancel()
        await wanted.wait(for: 2)
        _ = pipe.push(ByteBuffer(string: "late"))
        #expect(try await reader.value == ByteBuffer(string: "late"))
    }

    @Test func readerThatIsCancelledBeforehandDoesNotWait() async throws {
        let pipe = makePipe()
        let door = Signal()
        let reader = Task {
            await door.wait()
            var parts = pipe.makeAsyncIterator()
            return try await parts.next()
        }
        reader.cancel()
        door.fire()
        await #expect(throws: CancellationError.self) { try await reader.value }
    }

    @Test func secondReaderIsRefused() async throws {
        let pipe = makePipe()
        pipe.finish()
        var first = pipe.makeAsyncIterator()
        var second = pipe.makeAsyncIterator()
        #expect(try await first.next() == nil)
        let error = await #expect(throws: RequestBodyError.self) { try await second.next() }
        #expect(error?.code == .alreadyRead)
    }

    @Test func failureCanWaitUntilEverythingHasBeenRead() async throws {
        let pipe = makePipe()
        #expect(pipe.push(ByteBuffer(string: "a")))
        pipe.fail(RequestBodyError(.connectionClosed), keepsUnread: true)
        var parts = pipe.makeAsyncIterator()
        #expect(try await parts.next() == ByteBuffer(string: "a"))
        let error = await #expect(throws: RequestBodyError.self) { try await parts.next() }
        #expect(error?.code == .connectionClosed)
    }

    @Test(arguments: 0..<20)
    func everyByteArrivesOnceAndInOrderWhoeverIsFaster(_ round: Int) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let sizes = (0..<200).map { _ in Int.random(in: 1...9, using: &random) }
        let mayGoOn = Counter()
        let pipe = BodyPipe(highWatermark: 16, alreadyRead: RequestBodyError(.alreadyRead)) { _ in mayGoOn.add() }
        let producer = Task {
            var next: UInt8 = 0
            for size in sizes {
                let bytes = (0..<size).map { offset in next &+ UInt8(offset) }
                next &+= UInt8(size)
                let count = mayGoOn.value
                if !pipe.push(ByteBuffer(bytes: bytes)) { await mayGoOn.wait(for: count + 1) }
                if size == 5 { await Task.yield() }
            }
            pipe.finish()
        }
        var received: [UInt8] = []
        for try await part in pipe {
            received += Array(part.readableBytesView)
            if part.readableBytes == 7 { await Task.yield() }
        }
        await producer.value
        #expect(received == (0..<sizes.reduce(0, +)).map { UInt8(truncatingIfNeeded: $0) }, "seed \(seed)")
    }
}
