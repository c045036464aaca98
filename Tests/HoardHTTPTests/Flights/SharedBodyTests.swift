// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

@testable import HoardHTTP

@Suite(.timeLimit(.minutes(5))) struct SharedBodyTests {
    private final class Abandonments: Sendable {
        let count = Mutex(0)
    }

    private func body(expectedLength: Int? = nil, _ abandonments: Abandonments = Abandonments()) -> (SharedBody, BodySegments) {
        let segments = HTTPCache().segments
        let body = SharedBody(expectedLength: expectedLength, segments: segments) { abandonments.count.withLock { $0 += 1 } }
        return (body, segments)
    }

    private func part(_ length: Int, _ byte: UInt8 = 1) -> ByteBuffer { ByteBuffer(repeating: byte, count: length) }

    private func read(_ reader: SharedBodyReader) async throws -> Int {
        try await reader.makeBody(length: nil).collect(upTo: .max).readableBytes
    }

    @Test func everyReaderGetsEverything() async throws {
        let (body, _) = body()
        let readers = [try #require(body.addReader()), try #require(body.addReader())]
        body.append(part(3), keeping: .inMemory)
        body.append(part(4), keeping: .inMemory)
        let late = try #require(body.addReader())
        body.end(.whole(trailers: [.server: "x"]))
        for reader in readers + [late] { #expect(try await read(reader) == 7) }
        #expect(body.trailers == [.server: "x"])
        #expect(try await read(try #require(body.addReader())) == 7, "Whoever comes after the end gets it as long as it is there.")
    }

    /// The receiver of an abandonment may hold the body itself.
    @Test func bodyLetsGoOfThoseItWouldTellOfAnAbandonmentWhenItEnds() throws {
        weak var ended: Abandonments?
        weak var abandoned: Abandonments?
        let bodies: [SharedBody]
        do {
            let (first, second) = (Abandonments(), Abandonments())
            (ended, abandoned) = (first, second)
            bodies = [body(first).0, body(second).0]
        }
        #expect(ended != nil && abandoned != nil)
        bodies[0].end(.whole(trailers: nil))
        #expect(ended == nil)
        do { _ = try #require(bodies[1].addReader()) }
        #expect(abandoned == nil)
        withExtendedLifetime(bodies) {}
    }

    @Test func partIsWantedUntilEnoughIsAheadOfTheFastestReader() async throws {
        let (body, _) = body()
        let reader = try #require(body.addReader())
        #expect(await body.waitForDemand())
        body.append(part(SharedBody.readAheadLength), keeping: .inMemory)
        var parts = reader.parts.makeAsyncIterator()
        async let isWanted = body.waitForDemand()
        _ = try await parts.next()
        #expect(await isWanted)
    }

    @Test func transferIsBrokenOffWhenTheLastReaderLeaves() async throws {
        let abandonments = Abandonments()
        let (body, _) = body(abandonments)
        var readers: [SharedBodyReader] = [try #require(body.addReader()), try #require(body.addReader())]
        body.append(part(SharedBody.readAheadLength), keeping: .inMemory)
        async let isWanted = body.waitForDemand()
        readers.removeFirst()
        #expect(abandonments.count.withLock { $0 } == 0)
        readers.removeAll()
        #expect(await !isWanted)
        #expect(abandonments.count.withLock { $0 } == 1)
        #expect(body.addReader() == nil)
        #expect(await !body.waitForDemand())
    }

    @Test(arguments: [(true, false), (false, true)])
    func littleThatIsMissingIsFetchedForTheStoreAlone(isStored: Bool, isAbandoned: Bool) async throws {
        let abandonments = Abandonments()
        let (body, _) = body(expectedLength: 10 + SharedBody.worthwhileRest, abandonments)
        var reader = body.addReader()
        body.append(part(10), keeping: isStored ? .inMemory : .notAtAll)
        #expect(reader != nil)
        reader = nil
        #expect(await body.waitForDemand() == isStored)
        #expect((abandonments.count.withLock { $0 } == 1) == isAbandoned)
    }

    @Test func endIsNoAbandonment() async throws {
        let abandonments = Abandonments()
        let (body, _) = body(abandonments)
        var reader = body.addReader()
        #expect(reader != nil)
        body.end(.whole(trailers: nil))
        reader = nil
        #expect(abandonments.count.withLock { $0 } == 0)
    }

    @Test func errorComesAfterWhatWasReceivedBeforeIt() async throws {
        let (body, _) = body()
        let reader = try #require(body.addReader())
        body.append(part(5), keeping: .inMemory)
        body.end(.brokenOff(TransportError(.connectionClosed, "Closed.")))
        var parts = reader.parts.makeAsyncIterator()
        #expect(try await parts.next()?.readableBytes == 5)
        await #expect(throws: TransportError.self) { try await parts.next() }
        #expect(body.addReader() == nil)
        #expect(body.trailers == nil)
    }

    @Test func readerThatFallsTooFarBehindIsBrokenOffIfNothingIsStored() async throws {
        let (body, _) = body()
        let (quick, slow) = (try #require(body.addReader()), try #require(body.addReader()))
        var quickParts = quick.parts.makeAsyncIterator()
        var slowParts = slow.parts.makeAsyncIterator()
        body.append(part(1_000), keeping: .notAtAll)
        #expect(try await slowParts.next()?.readableBytes == 1_000)
        for _ in 0...(SharedBody.maximumLag / 1_000 + 2) {
            _ = try await quickParts.next()
            body.append(part(1_000), keeping: .notAtAll)
        }
        await #expect(throws: HTTPBodyIncompleteError.self) { try await slowParts.next() }
        #expect(try await quickParts.next()?.readableBytes == 1_000)
        #expect(body.addReader() == nil, "The beginning is gone.")
    }

    @Test func whatHasBeenDroppedIsReadFromTheSegments() async throws {
        let (body, segments) = body()
        let slow = try #require(body.addReader())
        let length = BodySegments.segmentLength
        var written = BodyReference(id: 7, segmentLength: length, length: 0)
        for index in 0..<6 {
            let segment = part(length, UInt8(index))
            #expect(await segments.write(segment, id: 7, index: index, bodyLength: length * 6, keptUntil: .distantFuture, owner: .nobody))
            written.length += length
            body.append(segment, keeping: .inSegments(written))
        }
        body.end(.whole(trailers: nil))
        let bytes = try await slow.makeBody(length: nil).collect(upTo: .max)
        let expected: [UInt8] = (0..<6).flatMap { (index: UInt8) -> [UInt8] in Array(repeating: index, count: length) }
        #expect(Array(buffer: bytes) == expected)
        // A reader that comes when the segments have gone gets an error, and not the rest.
        let gone = BodyReference(id: 8, segmentLength: length, length: written.length)
        body.end(.whole(trailers: nil), keeping: .inSegments(gone))
        let late = try #require(body.addReader())
        await #expect(throws: HTTPBodyIncompleteError.self) { try await read(late) }
    }

    @Test func readerThatIsCancelledStopsWaiting() async throws {
        let (body, _) = body()
        let reader = try #require(body.addReader())
        let task = Task {
            var parts = reader.parts.makeAsyncIterator()
            return try await parts.next()
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
