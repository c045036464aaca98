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
@testable import HoardMessages

/// Bodies that are kept in pieces, and ranges of them.
@Suite(.timeLimit(.minutes(5))) struct HTTPCacheSegmentTests {
    private static let length = 2_000_003

    /// Bytes of which no two stretches are alike.
    private static let content: [UInt8] = {
        var random = RandomSource(seed: 7)
        return random.bytes(length)
    }()

    /// Parts of different lengths, made as they are asked for.
    private struct Parts: AsyncSequence, Sendable {
        typealias Element = ByteBuffer
        let content: ArraySlice<UInt8>
        let partLength: Int
        var breaksOff = false

        struct AsyncIterator: AsyncIteratorProtocol {
            var rest: ArraySlice<UInt8>
            let partLength: Int
            let breaksOff: Bool

            mutating func next() async throws -> ByteBuffer? {
                guard !rest.isEmpty else {
                    if breaksOff { throw TransportError(.connectionClosed, "Closed.") }
                    return nil
                }
                defer { rest = rest.dropFirst(partLength) }
                return ByteBuffer(bytes: rest.prefix(partLength))
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: content, partLength: partLength, breaksOff: breaksOff) }
    }

    private static func origin(_ partLength: Int = 50_000, length: Int? = length, eTag: String = "\"1\"") -> FakeTransport.Handler {
        { request in
            let fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: eTag, .contentLength: "\(Self.length)", .contentType: "image/png"]
            return .response(.test(200, fields), body: HTTPBody(Parts(content: content[...], partLength: partLength), length: length))
        }
    }

    private func read(_ body: HTTPBody) async throws -> [UInt8] { Array(buffer: try await body.collect(upTo: .max)) }

    // MARK: Whole bodies

    @Test(arguments: [false, true], [1_000, 50_000, 262_144, 700_000, 3_000_000])
    func longBodyComesBackAsItWas(hasStore: Bool, partLength: Int) async throws {
        let time = TestTime()
        let harness = CacheHarness(stores: hasStore ? [MemoryStore(clock: time)] : [], time: time, origin: Self.origin(partLength))
        #expect(try await read(harness.open().body) == Self.content)
        let second = try await harness.open()
        #expect(second.isFromCache)
        #expect(second.body.length == Self.length)
        #expect(try await read(second.body) == Self.content)
        #expect(harness.requestCount == 1)
        // A segment that was read is copied upwards in the background.
        await harness.cache.flush()
        #expect(harness.openFenceCount == 0)
        #expect(harness.cache.budget.take(harness.cache.configuration.maximumBytesInFlight))
    }

    @Test func longBodySurvivesARestartAndDoesNotFlushMemory() async throws {
        let time = TestTime()
        let store = SpyStore(clock: time)
        let configure: @Sendable (inout HTTPCache.Configuration) -> Void = { $0.maximumMemoryBytes = 4 << 20 }
        let before = CacheHarness(stores: [store], time: time, configure: configure, origin: Self.origin(length: nil))
        _ = try await read(before.open().body)
        await before.cache.flush()
        // Early segments were written before it was known how long the body would be.
        #expect(before.cache.entries.memoryWeight < 1 << 20)
        #expect(store.insertedKeys.count == 1 + 8)
        let after = CacheHarness(stores: [store], time: time, configure: configure, origin: Self.origin())
        #expect(try await read(after.open().body) == Self.content)
        #expect(after.requestCount == 0)
        #expect(after.cache.entries.memoryWeight < 1 << 20)
    }

    @Test func bodyBeyondTheLimitIsForwardedAndLeavesNoSegments() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let harness = CacheHarness(stores: [store], time: time, configure: { $0.maximumObjectBytes = 1_500_000 }, origin: Self.origin(length: nil))
        #expect(try await read(harness.open().body) == Self.content)
        await harness.transfersEnd()
        await harness.cache.flush()
        #expect(try await store.statistics().count == 0)
        #expect(harness.cache.budget.take(harness.cache.configuration.maximumBytesInFlight))
    }

    @Test func bodyInMemoryAloneIsHeldToAnEighthOfIt() async throws {
        for (memory, isStored) in [(Self.length * 8 + 8, true), (Self.length * 8 - 8, false)] {
            let harness = CacheHarness(configure: { $0.maximumMemoryBytes = memory }, origin: Self.origin())
            #expect(try await read(harness.open().body) == Self.content)
            #expect(try await harness.open().isFromCache == isStored)
        }
    }

    @Test func slowReaderReadsBackWhatMemoryHasDropped() async throws {
        let time = TestTime()
        let harness = CacheHarness(stores: [MemoryStore(clock: time)], time: time, origin: Self.origin())
        let slow = try await harness.open()
        var parts = slow.body.makeAsyncIterator()
        var bytes = Array(buffer: try #require(try await parts.next()))
        let quick = try await harness.open()
        #expect(quick.cacheStatus.contains("collapsed"))
        #expect(try await read(quick.body) == Self.content)
        while let part = try await parts.next() { bytes += Array(buffer: part) }
        #expect(bytes == Self.content)
        #expect(harness.requestCount == 1)
    }

    /// The changes of a response while a slow reader still reads it.
    enum Fate: CaseIterable {
        case removedAfterItWasStored, replacedAfterItWasStored, removedBeforeItWasStored, tooLong
    }

    @Test(arguments: Fate.allCases) func slowReaderReadsToTheEndWhateverBecomesOfWhatIsStored(fate: Fate) async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let harness = CacheHarness(
            stores: [store],
            time: time,
            configure: { if fate == .tooLong { $0.maximumObjectBytes = 1_500_000 } },
            origin: { _ in
                let body = HTTPBody(Parts(content: Self.content[...], partLength: 50_000), length: nil)
                return .response(.test(200, [.cacheControl: "max-age=60"]), body: body)
            }
        )
        try await {
            let slow = try await harness.open()
            var parts = slow.body.makeAsyncIterator()
            var bytes = Array(buffer: try #require(try await parts.next()))
            try await {
                let quick = try await harness.open()
                #expect(quick.cacheStatus.contains("collapsed"))
                var quickParts = quick.body.makeAsyncIterator()
                var count = 0
                while count < 1_000_000 { count += try #require(try await quickParts.next()).readableBytes }
                if fate == .removedBeforeItWasStored { await harness.cache.remove("http://example.com/a") }
                while let part = try await quickParts.next() { count += part.readableBytes }
                #expect(count == Self.length)
            }()
            switch fate {
            case .removedAfterItWasStored: await harness.cache.remove("http://example.com/a")
            case .replacedAfterItWasStored: #expect(try await read(harness.open("/a", [.cacheControl: "no-cache"]).body) == Self.content)
            case .removedBeforeItWasStored, .tooLong: break
            }
            await harness.cache.flush()
            while let part = try await parts.next() { bytes += Array(buffer: part) }
            #expect(bytes == Self.content)
        }()
        await harness.transfersEnd()
        await harness.cache.flush()
        let count = try await store.statistics().count
        #expect(count == (fate == .replacedAfterItWasStored ? 1 + 8 : 0), "What nothing refers to is removed when its last reader has left.")
    }

    @Test func nothingIsFetchedFarAheadOfTheReader() async throws {
        let fetched = Mutex(0)
        let parts = AsyncStream<ByteBuffer>(unfolding: {
            fetched.withLock { $0 += 50_000 }
            return ByteBuffer(repeating: 1, count: 50_000)
        })
        let body = Mutex<HTTPBody?>(HTTPBody(parts, length: nil))
        let harness = CacheHarness { _ in .response(.test(200, [.cacheControl: "max-age=60"]), body: body.withLock { $0.take() } ?? .empty) }
        var reader = try await harness.open().body.makeAsyncIterator()
        for _ in 1...20 { _ = try await reader.next() }
        #expect(fetched.withLock { $0 } <= 20 * 50_000 + SharedBody.readAheadLength + 50_000)
    }

    // MARK: Ranges

    /// The bytes of the ranges as the answer has them, found by `Content-Range` in one part or several.
    private func ranges(_ response: HTTPCacheResponse) async throws -> [(Range<Int>, [UInt8])] {
        let length = response.body.length
        let bytes = try await read(response.body)
        #expect(length == bytes.count)
        #expect(response.head.headerFields[.contentLength] == "\(bytes.count)")
        if let field = response.head.headerFields[.contentRange] { return [(try range(field), bytes)] }
        let type = try #require(response.head.headerFields[.contentType])
        let boundary = try #require(type.split(separator: "boundary=").last)
        var found: [(Range<Int>, [UInt8])] = []
        var rest = bytes[...]
        let headEnd = Array("\r\n\r\n".utf8)
        while let end = rest.firstRange(of: headEnd) {
            let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            #expect(head.contains("--\(boundary)\r\n") && head.contains("Content-Type: image/png"))
            let range = try range(try #require(head.split(separator: "Content-Range: ").last).description)
            rest = rest[end.upperBound...]
            found.append((range, Array(rest.prefix(range.count))))
            rest = rest.dropFirst(range.count)
        }
        #expect(rest.elementsEqual(Array("\r\n--\(boundary)--\r\n".utf8)))
        return found
    }

    private func range(_ field: String) throws -> Range<Int> {
        let numbers = field.split { !"0123456789".contains($0) }.compactMap { Int($0) }
        try #require(numbers.count == 3 && numbers[2] == Self.length)
        return numbers[0]..<(numbers[1] + 1)
    }

    @Test(arguments: [256 << 10, 16 << 20])
    func randomRangesAreSlicesOfTheWhole(inlineBytes: Int) async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = RandomSource(seed: seed)
        let time = TestTime()
        let harness = CacheHarness(
            stores: [MemoryStore(clock: time)],
            time: time,
            configure: { $0.inlineBodyBytes = inlineBytes },
            origin: Self.origin()
        )
        _ = try await read(harness.open().body)
        for _ in 1...60 {
            let wanted = (0..<random.int(1...4)).map { _ in
                let start = random.int(0...Self.length - 1)
                return start..<min(Self.length, start + random.pick([1, 100, 262_144, 600_000]))
            }
            let field = "bytes=" + wanted.map { "\($0.lowerBound)-\($0.upperBound - 1)" }.joined(separator: ", ")
            let response = try await harness.open("/a", [.range: field])
            #expect(response.isFromCache, "seed \(seed): \(field)")
            guard response.head.status.code == 206 else {
                // So many bytes are wanted that all of them are given.
                #expect(try await read(response.body) == Self.content)
                continue
            }
            let got = try await ranges(response)
            for (range, bytes) in got { #expect(bytes == Array(Self.content[range]), "seed \(seed): \(field)") }
            for range in wanted {
                #expect(got.contains { $0.0.lowerBound <= range.lowerBound && $0.0.upperBound >= range.upperBound }, "seed \(seed)")
            }
        }
        #expect(harness.requestCount == 1)
    }

    @Test func headOfALongBodyHasItsLengthAndNoContent() async throws {
        let harness = CacheHarness(origin: Self.origin())
        _ = try await read(harness.open().body)
        let reply = try await harness.send(.head)
        #expect(reply.isFromCache && reply.text.isEmpty)
        #expect(reply.head.headerFields[.contentLength] == "\(Self.length)")
    }

    @Test func variantThatTakesThePlaceOfOneThatHasJustComeLeavesNoSegments() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let harness = CacheHarness(stores: [store], time: time) { _ in
            .response(
                .test(200, [.cacheControl: "max-age=60", .vary: "Accept-Language"]),
                body: HTTPBody(Parts(content: Self.content[...], partLength: 50_000), length: Self.length)
            )
        }
        func count(after requests: Int) async throws -> Int {
            do {
                // They do not wait for each other.
                var responses: [HTTPCacheResponse] = []
                for _ in 0..<requests { responses.append(try await harness.open("/a", [.cacheControl: "no-cache"])) }
                for response in responses { #expect(try await read(response.body) == Self.content) }
            }
            await harness.transfersEnd()
            await harness.cache.flush()
            return try await store.statistics().count
        }
        let one = try await count(after: 1)
        #expect(try await count(after: 3) == one)
    }

    // MARK: Parts

    /// An origin that gives ranges, and breaks the first whole answer off after `breaksAfter` bytes.
    private static func rangeOrigin(breaksAfter: Int? = nil, length: Int = length) -> FakeTransport.Handler {
        { request in
            let all = content.prefix(length)
            var fields: HTTPFields = [.cacheControl: "max-age=600", .eTag: "\"1\"", .contentType: "image/png", .acceptRanges: "bytes"]
            guard let range = RangeRequest(request.head.headerFields), case .satisfiable(let ranges) = range.resolved(completeLength: length) else {
                fields[.contentLength] = "\(length)"
                let sent = all.prefix(breaksAfter ?? length)
                return .response(
                    .test(200, fields),
                    body: HTTPBody(Parts(content: sent, partLength: 10_000, breaksOff: breaksAfter != nil), length: length)
                )
            }
            fields[.contentRange] = ContentRange.fieldValue(ranges[0], completeLength: length)
            fields[.contentLength] = "\(ranges[0].count)"
            return .response(.test(206, fields), body: HTTPBody(Parts(content: content[ranges[0]], partLength: 10_000), length: ranges[0].count))
        }
    }

    @Test(arguments: [1, 9_999, 10_000, 262_144, 300_001, 1_999_999])
    func bodyThatBreaksOffIsAnErrorAndIsCompletedByARange(breaksAfter: Int) async throws {
        let time = TestTime()
        let harness = CacheHarness(stores: [MemoryStore(clock: time)], time: time, origin: Self.rangeOrigin(breaksAfter: breaksAfter))
        let first = try await harness.open()
        var received: [UInt8] = []
        await #expect(throws: TransportError.self) {
            for try await part in first.body { received += Array(buffer: part) }
        }
        #expect(received == Array(Self.content.prefix(breaksAfter)))
        await harness.transfersEnd()
        let second = try await harness.open()
        #expect(second.head.status == .ok)
        #expect(second.body.length == Self.length)
        #expect(try await read(second.body) == Self.content)
        #expect(harness.transport.requests.last?.head.headerFields[.range] == "bytes=\(breaksAfter)-\(Self.length - 1)")
        // Both parts together are the whole, and stored.
        let third = try await harness.open()
        #expect(third.isFromCache)
        #expect(try await read(third.body) == Self.content)
        #expect(harness.requestCount == 2)
    }

    @Test(arguments: [["efghijk"], ["efghij", "k"]])
    func wholeOfWhichTheFetchedPartIsLongerThanItSaysBreaksOff(parts: [String]) async throws {
        let fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"1\""]
        let harness = CacheHarness { request in
            request.head.headerFields[.range] == "bytes=0-3"
                ? .text("abcd", status: .partialContent, fields: fields + [.contentRange: "bytes 0-3/10"])
                : .parts(parts, status: .partialContent, fields: fields + [.contentRange: "bytes 4-9/10"])
        }
        try await harness.get("/a", [.range: "bytes=0-3"])
        await #expect(throws: TransportError.self) { try await harness.get() }
    }

    @Test func partsAreCombinedAsTheyCome() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = RandomSource(seed: seed)
        for _ in 1...6 {
            let time = TestTime()
            let harness = CacheHarness(stores: [MemoryStore(clock: time)], time: time, origin: Self.rangeOrigin())
            for _ in 1...25 {
                let start = random.int(0...Self.length - 1)
                let end = min(Self.length, start + random.pick([1, 5_000, 300_000, 900_000]))
                let response = try await harness.open("/a", [.range: "bytes=\(start)-\(end - 1)"])
                #expect(try await read(response.body) == Array(Self.content[start..<end]), "seed \(seed)")
                await harness.transfersEnd()
            }
            #expect(try await read(harness.open().body) == Self.content, "seed \(seed)")
            await harness.transfersEnd()
            let last = try await harness.open()
            #expect(try await read(last.body) == Self.content, "seed \(seed)")
        }
    }

    @Test(arguments: [false, true]) func partsForWhichThereIsNoRoomLeaveNoSegments(isAtHand: Bool) async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        // Each part is in a segment of its own.
        let harness = CacheHarness(stores: [store], time: time, configure: { $0.inlineBodyBytes = 4 }) { request in
            guard let range = RangeRequest(request.head.headerFields), case .satisfiable(let ranges) = range.resolved(completeLength: 100_000) else {
                return .text(status: .internalServerError)
            }
            let part = Self.content[ranges[0]]
            let body = isAtHand ? HTTPBody(ByteBuffer(bytes: part)) : HTTPBody(Parts(content: part, partLength: 10), length: part.count)
            let place = ContentRange.fieldValue(ranges[0], completeLength: 100_000)
            return .response(.test(206, [.cacheControl: "max-age=600", .eTag: "\"1\"", .contentRange: place]), body: body)
        }
        for number in 0..<StoredBody.maximumExtentCount + 6 {
            let start = number * 1_000
            let response = try await harness.open("/a", [.range: "bytes=\(start)-\(start + 9)"])
            #expect(try await read(response.body) == Array(Self.content[start..<start + 10]))
            await harness.transfersEnd()
        }
        await harness.cache.flush()
        let count = try await store.statistics().count
        #expect(count == 1 + StoredBody.maximumExtentCount)
        // The origin sends a part again that is stored.
        do {
            let again = try await harness.open("/a", [.range: "bytes=0-9", .cacheControl: "no-cache"])
            #expect(!again.isFromCache)
            #expect(try await read(again.body) == Array(Self.content[..<10]))
        }
        await harness.transfersEnd()
        await harness.cache.flush()
        #expect(try await store.statistics().count == count)
    }

    @Test func shortBodyThatBreaksOffAtAnyByteIsNeverServedAsWhole() async throws {
        for breaksAfter in 0..<40 {
            let harness = CacheHarness(origin: Self.rangeOrigin(breaksAfter: breaksAfter, length: 40))
            let first = try await harness.open()
            await #expect(throws: TransportError.self) { try await first.body.collect(upTo: .max) }
            await harness.transfersEnd()
            let offline = try await harness.get("/a", [.cacheControl: "only-if-cached"])
            #expect(offline.code == 504, "after \(breaksAfter) bytes")
            guard breaksAfter > 0 else { continue }
            #expect(try await read(harness.open().body) == Array(Self.content.prefix(40)), "after \(breaksAfter) bytes")
        }
    }

    // MARK: What is missing

    /// A response of which a segment has left the store.
    private func harness(
        missing: Int,
        _ store: SpyStore,
        _ time: TestTime,
        origin: @escaping FakeTransport.Handler = origin(eTag: "\"2\"")
    ) async throws -> CacheHarness {
        let before = CacheHarness(stores: [store], time: time, configure: { $0.maximumMemoryBytes = 1 << 20 }, origin: Self.origin())
        _ = try await read(before.open().body)
        await before.cache.flush()
        let key = try #require(store.insertedKeys.first { $0.description.hasSuffix("/\(missing)") })
        try await store.removeRecord(forKey: key)
        return CacheHarness(stores: [store], time: time, configure: { $0.maximumMemoryBytes = 1 << 20 }, origin: origin)
    }

    @Test func responseWhoseFirstSegmentIsMissingIsAMiss() async throws {
        let time = TestTime()
        let harness = try await harness(missing: 0, SpyStore(clock: time), time)
        let response = try await harness.open()
        #expect(!response.isFromCache)
        #expect(try await read(response.body) == Self.content)
        #expect(try await harness.open().isFromCache)
    }

    @Test func responseWhoseLaterSegmentIsMissingBreaksOffAndIsAMissAfterwards() async throws {
        let time = TestTime()
        let harness = try await harness(missing: 5, SpyStore(clock: time), time)
        let response = try await harness.open()
        #expect(response.isFromCache)
        await #expect(throws: HTTPBodyIncompleteError.self) { try await response.body.collect(upTo: .max) }
        await harness.cache.flush()
        #expect(try await read(harness.open().body) == Self.content)
        // The first request asked for the rest, and got something else.
        #expect(harness.requestCount == 2)
    }

    @Test func responseThatBeginsAtHandAndHasLostItsSegmentsIsAMiss() async throws {
        let time = TestTime()
        let store = SpyStore(clock: time)
        let before = CacheHarness(stores: [store], time: time, origin: Self.rangeOrigin())
        _ = try await read(before.open("/a", [.range: "bytes=0-9"]).body)
        #expect(try await read(before.open().body) == Self.content)
        await before.cache.flush()
        let key = try #require(store.insertedKeys.first { $0.description.hasSuffix("/0") })
        try await store.removeRecord(forKey: key)
        let harness = CacheHarness(stores: [store], time: time, origin: Self.origin(eTag: "\"2\""))
        let response = try await harness.open()
        #expect(!response.isFromCache)
        #expect(try await read(response.body) == Self.content)
    }

    @Test func segmentThatIsMissingLaterIsFetchedWithAllThatFollows() async throws {
        let time = TestTime()
        let harness = try await harness(missing: 5, SpyStore(clock: time), time, origin: Self.rangeOrigin())
        let response = try await harness.open()
        #expect(response.isFromCache)
        #expect(try await read(response.body) == Self.content)
        let request = try #require(harness.transport.requests.first)
        #expect(request.head.headerFields[.range] == "bytes=\(5 * 262_144)-\(Self.length - 1)")
        #expect(request.head.headerFields[.ifRange] == "\"1\"")
        await harness.cache.flush()
        // The unreadable response is gone, so that it is stored whole again.
        #expect(try await !harness.open().isFromCache)
    }

    @Test func nothingIsFetchedForAClientThatWantsNothingForwarded() async throws {
        let time = TestTime()
        let harness = try await harness(missing: 5, SpyStore(clock: time), time, origin: Self.rangeOrigin())
        let response = try await harness.open("/a", [.cacheControl: "only-if-cached"])
        await #expect(throws: HTTPBodyIncompleteError.self) { try await response.body.collect(upTo: .max) }
        #expect(harness.requestCount == 0)
    }

    @Test func responseWhoseSegmentIsMissingWhileItIsConfirmedIsFetchedAgain() async throws {
        let time = TestTime()
        let store = SpyStore(clock: time)
        _ = try await harness(missing: 0, store, time)
        time.advance(seconds: 60)
        let harness = CacheHarness(stores: [store], time: time) { request in
            request.head.headerFields.contains(.ifNoneMatch) ? .text(status: .notModified) : .text("new", fields: [.cacheControl: "max-age=60"])
        }
        #expect(try await harness.get().text == "new")
        #expect(harness.requestCount == 2)
    }

    @Test func confirmedResponseKeepsItsSegments() async throws {
        let time = TestTime()
        let harness = CacheHarness(stores: [MemoryStore(clock: time)], time: time) { request in
            if request.head.headerFields.contains(.ifNoneMatch) { return .text(status: .notModified, fields: [.cacheControl: "max-age=600"]) }
            return await Self.rangeOrigin()(request)
        }
        _ = try await read(harness.open().body)
        for _ in 1...3 {
            time.advance(seconds: 600)
            #expect(try await read(harness.open().body) == Self.content)
        }
        await harness.cache.flush()
        #expect(try await read(harness.open().body) == Self.content)
    }

    @Test func bodyIsReadToItsEndThoughItIsReplacedOrRemovedMeanwhile() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let harness = CacheHarness(stores: [store], time: time, configure: { $0.maximumMemoryBytes = 1 << 20 }, origin: Self.origin())
        _ = try await read(harness.open().body)
        try await {
            var parts = try await harness.open().body.makeAsyncIterator()
            var bytes = Array(buffer: try #require(try await parts.next()))
            await harness.cache.remove("http://example.com/a")
            while let part = try await parts.next() { bytes += Array(buffer: part) }
            #expect(bytes == Self.content)
        }()
        await harness.cache.flush()
        #expect(try await store.statistics().count == 0, "The last reader has left, and nothing refers to the segments any more.")
    }

    @Test func failingStoreKeepsNoOneFromTheirBody() async throws {
        let time = TestTime()
        let store = SpyStore(clock: time)
        let harness = CacheHarness(stores: [store], time: time, configure: { $0.maximumMemoryBytes = 1 << 20 }, origin: Self.origin())
        store.setFailing(true)
        #expect(try await read(harness.open().body) == Self.content)
        #expect(try await read(harness.open().body) == Self.content)
        #expect(harness.requestCount == 2, "What only the store would have is not stored.")
        #expect(harness.openFenceCount == 0)
    }

    /// A disk that is full for a moment. Memory has all segments, but the next process would find a head with holes behind it.
    @Test func bodyOfWhichAStoreHasMissedASegmentIsNotStored() async throws {
        let time = TestTime()
        let store = FaultyStore(MemoryStore(clock: time), ticker: time)
        store.setScript { call in
            call.operation == .insert && call.number == 3 ? .fail(StoreError(.full, "The disk is full.")) : .pass
        }
        let before = CacheHarness(stores: [store], time: time, origin: Self.origin())
        #expect(try await read(before.open().body) == Self.content)
        await before.cache.flush()
        let after = CacheHarness(stores: [store], time: time, origin: Self.origin())
        #expect(try await read(after.open().body) == Self.content)
        #expect(after.requestCount == 1)
        await after.cache.flush()
        let last = CacheHarness(stores: [store], time: time, origin: Self.origin())
        #expect(try await read(last.open().body) == Self.content)
        #expect(last.requestCount == 0)
    }
}
