// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTP
import HoardTesting
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(5))) struct HTTPBodyTests {
    /// Parts that count how often they are asked for.
    private struct CountedParts: AsyncSequence, Sendable {
        typealias Element = ByteBuffer

        let parts: [String]
        let count: Counter

        struct AsyncIterator: AsyncIteratorProtocol {
            var parts: ArraySlice<String>
            let count: Counter

            mutating func next() async throws -> ByteBuffer? {
                count.increment()
                return parts.popFirst().map { ByteBuffer(string: $0) }
            }

            mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
                try await next()
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: parts[...], count: count) }
    }

    private func parts(of body: HTTPBody) async throws -> [String] {
        var parts: [String] = []
        for try await part in body { parts.append(String(buffer: part)) }
        return parts
    }

    // MARK: Bytes

    @Test func bytesAreOnePartAndCanBeReadAgain() async throws {
        let body = HTTPBody(ByteBuffer(string: "hello"))
        for _ in 1...3 { #expect(try await parts(of: body) == ["hello"]) }
        #expect(body.length == 5)
        #expect(body.bytesAtHand == ByteBuffer(string: "hello"))
    }

    @Test func textIsItsUTF8() async throws {
        let body = HTTPBody("p\u{E4}\u{E4}")
        #expect(body.length == 5)
        #expect(try await body.collect(upTo: 5) == ByteBuffer(bytes: [0x70, 0xC3, 0xA4, 0xC3, 0xA4]))
    }

    @Test func emptyBodyHasNoParts() async throws {
        #expect(try await parts(of: .empty) == [])
        #expect(HTTPBody.empty.length == 0)
        #expect(try await HTTPBody.empty.collect(upTo: 0) == ByteBuffer())
    }

    @Test func bytesBeforeTheReaderIndexAreNotPartOfTheBody() async throws {
        var buffer = ByteBuffer(string: "hello")
        buffer.moveReaderIndex(forwardBy: 3)
        #expect(HTTPBody(buffer).length == 2)
        #expect(try await parts(of: HTTPBody(buffer)) == ["lo"])
    }

    // MARK: Streams

    @Test func streamIsNotAtHand() {
        let (body, _) = BodyFeed.makeBody(length: 7)
        #expect(body.bytesAtHand == nil)
        #expect(body.length == 7)
        #expect(BodyFeed.makeBody().body.length == nil)
    }

    @Test func emptyPartsArePassedOver() async throws {
        let body = HTTPBody(CountedParts(parts: ["", "a", "", "", "b", ""], count: .init()), length: nil)
        #expect(try await parts(of: body) == ["a", "b"])
    }

    @Test func sourceIsAskedOnlyWhenTheReaderWantsMore() async throws {
        let counter = Counter()
        let body = HTTPBody(CountedParts(parts: ["a", "b", "c"], count: counter), length: nil)
        #expect(counter.value == 0)
        var iterator = body.makeAsyncIterator()
        #expect(counter.value == 0)
        _ = try await iterator.next()
        #expect(counter.value == 1)
        _ = try await iterator.next()
        #expect(counter.value == 2)
    }

    @Test func sourceIsNotAskedAgainAfterTheEnd() async throws {
        let counter = Counter()
        var iterator = HTTPBody(CountedParts(parts: ["a"], count: counter), length: nil).makeAsyncIterator()
        while try await iterator.next() != nil {}
        for _ in 1...3 { #expect(try await iterator.next() == nil) }
        #expect(counter.value == 2)
    }

    @Test func errorOfTheSourceReachesTheReader() async throws {
        let (body, feed) = BodyFeed.makeBody()
        feed.send("a")
        feed.breakOff(with: TransportError(.timedOut, "Too slow."))
        var iterator = body.makeAsyncIterator()
        #expect(try await iterator.next() == ByteBuffer(string: "a"))
        let error = await #expect(throws: TransportError.self) { try await iterator.next() }
        #expect(error?.code == .timedOut)
    }

    // MARK: Collecting

    @Test func partsAreCollectedInOrder() async throws {
        let body = HTTPBody(CountedParts(parts: ["ab", "", "cd", "e"], count: .init()), length: 5)
        #expect(try await body.collect(upTo: 5) == ByteBuffer(string: "abcde"))
    }

    @Test func bodyThatIsAnnouncedTooLongIsNotReadAtAll() async throws {
        let counter = Counter()
        let body = HTTPBody(CountedParts(parts: ["abc"], count: counter), length: 3)
        let error = await #expect(throws: HTTPBodyTooLargeError.self) { try await body.collect(upTo: 2) }
        #expect(error?.maximumByteCount == 2)
        #expect(counter.value == 0)
        await #expect(throws: HTTPBodyTooLargeError.self) { try await HTTPBody("abc").collect(upTo: 2) }
    }

    @Test func bodyThatTurnsOutTooLongIsReadNoFurther() async throws {
        let counter = Counter()
        let body = HTTPBody(CountedParts(parts: ["ab", "c", "d", "e"], count: counter), length: nil)
        let error = try await #require(throws: HTTPBodyTooLargeError.self) { try await body.collect(upTo: 2) }
        #expect(counter.value == 2)
        #expect("\(error)" == "The body is longer than the 2 bytes allowed.")
    }

    /// The source may have ended early because of the cancellation.
    @Test func aPartIsNotTakenForTheWholeInACancelledTask() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for length in [nil, 5] {
                let body = HTTPBody(CountedParts(parts: ["ab"], count: .init()), length: length)
                await #expect(throws: CancellationError.self) { try await body.collect(upTo: 5) }
                let other = HTTPBody(CountedParts(parts: ["ab"], count: .init()), length: length)
                await #expect(throws: CancellationError.self) { try await other.withBytesAtHand(upTo: 5) }
            }
            let whole = HTTPBody(CountedParts(parts: ["ab"], count: .init()), length: 2)
            return try await whole.collect(upTo: 5)
        }
        #expect(try await task.value == ByteBuffer(string: "ab"))
    }

    @Test func errorOfTheSourceEndsTheCollecting() async throws {
        let (body, feed) = BodyFeed.makeBody()
        feed.send("a")
        feed.breakOff()
        await #expect(throws: TransportError.self) { try await body.collect(upTo: 100) }
    }
}
