// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import HoardDisk

@Suite struct RecordDetailsTests {
    @Test(arguments: [
        RecordDetails(),
        RecordDetails(tags: ["a"], validator: nil, contentType: nil),
        RecordDetails(tags: [""], validator: "", contentType: ""),
        RecordDetails(tags: ["user:1", "user:2", "é", "a\0b"], validator: "\"abc\"", contentType: "text/plain"),
        RecordDetails(tags: [], validator: nil, contentType: "image/png"),
        RecordDetails(tags: [], validator: "W/\"1\0\"", contentType: nil),
    ])
    func decodingGivesBackWhatWasEncoded(details: RecordDetails) {
        #expect(RecordDetails(encoded: details.encoded) == details)
    }

    @Test func theEncodingDoesNotDependOnTheOrderOfTheSet() {
        let tags = (0..<50).map { "tag \($0)" }
        #expect(RecordDetails(tags: Set(tags)).encoded == RecordDetails(tags: Set(tags.reversed())).encoded)
    }

    @Test func theEncodingIsNeverEmpty() {
        #expect(RecordDetails().encoded.count == 12)
    }

    @Test func nothingShorterOrLongerDecodes() {
        let encoded = RecordDetails(tags: ["one", "two"], validator: "v", contentType: "t").encoded
        for count in 0..<encoded.count {
            #expect(RecordDetails(encoded: encoded.prefix(count)) == nil, "\(count) bytes")
        }
        #expect(RecordDetails(encoded: encoded + [0]) == nil)
    }

    @Test func aSliceOfDataDecodes() {
        let details = RecordDetails(tags: ["one"], validator: "v")
        let padded = Data([1, 2, 3]) + details.encoded
        #expect(RecordDetails(encoded: padded.dropFirst(3)) == details)
    }

    @Test func textThatIsNotUTF8DoesNotDecode() {
        var encoded = RecordDetails(validator: "v").encoded
        encoded[8] = 0xFF
        #expect(RecordDetails(encoded: encoded) == nil)
    }

    @Test func randomBytesNeverTrap() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<2000 {
            let bytes = Data((0..<Int.random(in: 0...40, using: &generator)).map { _ in UInt8.random(in: 0...3, using: &generator) })
            if let details = RecordDetails(encoded: bytes) {
                #expect(RecordDetails(encoded: details.encoded) == details)
            }
        }
    }
}
