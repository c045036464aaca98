// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import NIOCore
import Testing

@_spi(Client) @testable import HoardRedis

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct GenerationTests {
    private let start = Date(timeIntervalSince1970: 1_700_000_000)

    @Test func aGenerationComesBackWithItsMarks() throws {
        var generation = Generation(number: 0xFEED)
        #expect(try #require(Generation(encoded: generation.encoded)) == generation)
        for number in 0..<100 {
            generation.mark(at: start + Double(number))
            #expect(try #require(Generation(encoded: generation.encoded)) == generation)
        }
        #expect(generation.encoded.readableBytes <= 20 + 32 * 16)
    }

    @Test func aFirstGenerationIsToldFromOneThatHasRemovedSomething() {
        for _ in 0..<20 {
            var first = Generation.first()
            #expect(first.isUntouched && !Generation.next().isUntouched)
            first.mark(at: start)
            #expect(!first.isUntouched)
        }
    }

    @Test func aMarkConcernsWhatWasWrittenBefore() {
        var generation = Generation(number: 1)
        let before = generation.reference
        #expect(generation.freshnessEnd(for: before) == nil)
        generation.mark(at: start)
        #expect(generation.freshnessEnd(for: before) == start)
        #expect(generation.freshnessEnd(for: generation.reference) == nil)
        generation.mark(at: start + 5)
        #expect(generation.freshnessEnd(for: before) == start)
    }

    @Test func anythingElseIsNoGeneration() throws {
        var generation = Generation(number: 1)
        generation.mark(at: start)
        let bytes = Array(generation.encoded.readableBytesView)
        for count in 0..<bytes.count where count != 20 { #expect(Generation(encoded: ByteBuffer(bytes: bytes.prefix(count))) == nil) }
        var other = bytes
        other[3] = 2
        #expect(Generation(encoded: ByteBuffer(bytes: other)) == nil)
        // A mark that concerns writes which have not been made.
        other = bytes
        other[20] = 9
        #expect(Generation(encoded: ByteBuffer(bytes: other)) == nil)
        // More marks than can be counted.
        other = bytes
        other.replaceSubrange(12..<20, with: [UInt8](repeating: 0xFF, count: 7) + [0x7F])
        #expect(Generation(encoded: ByteBuffer(bytes: other)) == nil)
        other[12] = 0xFE
        var last = try #require(Generation(encoded: ByteBuffer(bytes: other)))
        last.mark(at: start)
        #expect(Generation(encoded: last.encoded) == nil)
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<1_000 {
            let random = (0..<Int.random(in: 0...60, using: &generator)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            #expect(Generation(encoded: ByteBuffer(bytes: random)) == nil)
        }
    }

    @Test func verdictsFollowTheGenerations() {
        let record = Record(payload: Data(), created: start, staleUntil: .forever, tags: ["a", "b"], partition: "p")
        var generations: [RecordScope: Generation] = [:]
        for (number, scope) in RecordScope.all(of: record).enumerated() { generations[scope] = Generation(number: UInt64(number) + 1) }
        let buffer = StoredRecord.encode(record, key: "key", number: 1, now: start) { generations[$0]?.reference ?? .init(number: 0, markCount: 0) }
        guard case .record(let stored) = StoredValue(buffer, key: "key") else {
            Issue.record("It should be a record.")
            return
        }
        #expect(stored.verdict { .known(generations[$0]) } == .valid(freshnessEnd: nil))
        for scope in generations.keys {
            var changed = generations
            changed[scope] = Generation(number: 77)
            #expect(stored.verdict { .known(changed[$0]) } == .removed)
            changed[scope] = nil
            #expect(stored.verdict { .known(changed[$0]) } == .removed)
            #expect(stored.verdict { $0 == scope ? .unknown : .known(generations[$0]) } == .undecided([scope]))
            changed = generations
            changed[scope]?.mark(at: start + 9)
            changed[.everything]?.mark(at: start + 10)
            #expect(stored.verdict { .known(changed[$0]) } == .valid(freshnessEnd: start + 9))
        }
    }
}
