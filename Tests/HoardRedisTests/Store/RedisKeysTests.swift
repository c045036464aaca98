// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import NIOCore
import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct RedisKeysTests {
    @Test func everyNameIsPrefixLetterAndBytes() {
        let keys = RedisKeys(prefix: "app")
        #expect(String(decoding: keys.record("k:1"), as: UTF8.self) == "app{}:rk:1")
        #expect(String(decoding: keys.lease("k"), as: UTF8.self) == "app{}:lk")
        #expect(String(decoding: keys.scope(.tag("t")), as: UTF8.self) == "app{}:tt")
        #expect(String(decoding: keys.scope(.partition("")), as: UTF8.self) == "app{}:p")
        #expect(String(decoding: keys.scope(.everything), as: UTF8.self) == "app{}:e")
    }

    @Test func aNameIsReadAsWhatItIs() throws {
        let keys = RedisKeys(prefix: "app")
        for (name, kind) in [
            (keys.record(RecordKey(bytes: [0, 255])), RedisKeys.Kind.record), (keys.scope(.tag("t")), .tag),
            (keys.scope(.partition("p")), .partition),
            (keys.scope(.everything), .everything), (keys.lease(""), .lease),
        ] {
            let found = try #require(keys.kind(of: ByteBuffer(bytes: name)))
            #expect(found.kind == kind)
            #expect(found.nameOffset == 7)
        }
        for other in ["", "app", "app{}:", "app{}:z1", "bpp{}:rk"] { #expect(keys.kind(of: ByteBuffer(string: other)) == nil) }
    }

    @Test func hashesOfNamesThatTheServerTellsAreThoseOfTheKeys() throws {
        let keys = RedisKeys(prefix: "app")
        func told(_ name: [UInt8]) throws -> KeyHash {
            let buffer = ByteBuffer(bytes: name)
            let (kind, offset) = try #require(keys.kind(of: buffer))
            return KeyHash(kind, in: buffer, from: offset)
        }
        #expect(try told(keys.record("kä")) == KeyHash(record: "kä"))
        #expect(try told(keys.lease("kä")) == KeyHash(lease: "kä"))
        for scope: RecordScope in [.tag("kä"), .partition("kä"), .tag(""), .everything] { #expect(try told(keys.scope(scope)) == KeyHash(scope)) }
        #expect(KeyHash(record: "a") != KeyHash(lease: "a") && KeyHash(RecordScope.tag("a")) != KeyHash(RecordScope.partition("a")))
    }

    @Test func thePatternMeansThePrefixLiterally() {
        #expect(String(decoding: RedisKeys(prefix: "a*[b]?\\^").recordPattern, as: UTF8.self) == "a\\*\\[b\\]\\?\\\\\\^{}:r*")
    }

    @Test func tagsAreToldApartAsStringsAndPartitionsByteForByte() {
        let keys = RedisKeys(prefix: "")
        #expect(RecordScope.tag("caf\u{E9}") == .tag("cafe\u{301}"))
        #expect(keys.scope(.tag("caf\u{E9}")) == keys.scope(.tag("cafe\u{301}")))
        #expect(KeyHash(RecordScope.tag("caf\u{E9}")) == KeyHash(RecordScope.tag("cafe\u{301}")))
        #expect(RecordScope.partition("caf\u{E9}") != .partition("cafe\u{301}"))
        #expect(keys.scope(.partition("caf\u{E9}")) != keys.scope(.partition("cafe\u{301}")))
        #expect(RecordScope.tag("a") != .partition("a"))
        #expect(Set([RecordScope.tag("a"), .tag("a"), .everything]).count == 2)
    }
}
