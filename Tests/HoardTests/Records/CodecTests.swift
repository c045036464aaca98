// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTestSupport
import Testing

@Suite struct CodecTests {
    struct User: Codable, Equatable, Sendable {
        var name: String
        var born: Date
    }

    private let user = User(name: "Ada \u{1F980}\0", born: Date(timeIntervalSince1970: 1_234.5))

    @Test func jsonComesBack() throws {
        let codec = Codec<User>.json
        let data = try codec.encode(user)
        #expect(try codec.decode(data) == user)
        #expect(codec.contentType == "application/json")
        #expect(try JSONDecoder().decode(User.self, from: data) == user, "it is plain JSON")
    }

    @Test func jsonOfFragmentsComesBack() throws {
        #expect(try Codec<Int>.json.decode(Codec<Int>.json.encode(7)) == 7)
        #expect(try Codec<String?>.json.decode(Codec<String?>.json.encode(nil)) == nil)
        #expect(try Codec<[String]>.json.decode(Codec<[String]>.json.encode([])) == [])
    }

    @Test func propertyListComesBackAndIsBinary() throws {
        let codec = Codec<User>.propertyList
        let data = try codec.encode(user)
        #expect(try codec.decode(data) == user)
        #expect(data.starts(with: Data("bplist".utf8)))
        #expect(codec.contentType == "application/x-plist")
    }

    @Test func theSchemaIsTheTypesNameAsReflectionGivesIt() {
        expectSchema(String(reflecting: Int.self), of: Int.self)
        expectSchema(String(reflecting: User.self), of: User.self)
        expectSchema(String(reflecting: Data?.self), of: Data?.self)
        expectSchema(String(reflecting: [String: [User?]].self), of: [String: [User?]].self)
    }

    @Test func theSchemaOfALocalTypeHasNoAddressWhichDiffersInEachProcess() {
        struct Local: Codable, Sendable {}
        func name(_ type: Any.Type) -> String { String(reflecting: type).replacing(/\ at \$[0-9a-f]+/, with: "") }
        #expect(name(Local.self) != String(reflecting: Local.self))
        expectSchema(name(Local.self), of: Local.self)
        expectSchema(name([String: [Local?]].self), of: [String: [Local?]].self)
    }

    private func expectSchema<Value: Codable & SendableMetatype>(_ name: String, of type: Value.Type) {
        func fingerprint(_ schema: String) -> UInt64 {
            Codec<Value>(schema: schema, encode: { _ in Data() }, decode: { _ in throw CancellationError() }).schemaFingerprint
        }
        #expect(Codec<Value>.json.schemaFingerprint == fingerprint("json:" + name), "\(type)")
        #expect(Codec<Value>.propertyList.schemaFingerprint == fingerprint("plist:" + name), "\(type)")
    }

    @Test(arguments: [Data(), Data([0]), Data(0...255), Data(repeating: 7, count: 100_000)])
    func bytesAreKeptAsTheyCame(_ data: Data) throws {
        #expect(try Codec<Data>.bytes.encode(data) == data)
        #expect(try Codec<Data>.bytes.decode(data) == data)
        #expect(Codec<Data>.bytes.contentType == "application/octet-stream")
    }

    @Test(arguments: ["", "\0", "plain", "größer", "\u{1F469}\u{200D}\u{1F4BB}", "cafe\u{301}"])
    func stringsComeBackByteForByte(_ string: String) throws {
        let decoded = try Codec<String>.string.decode(Codec<String>.string.encode(string))
        #expect(Array(decoded.utf8) == Array(string.utf8))
    }

    @Test(arguments: [[0xFF], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0x61, 0xC0, 0x80]])
    func bytesThatAreNotUTF8DoNotDecodeAsAString(_ bytes: [UInt8]) {
        let thrown = #expect(throws: CacheError.self) { try Codec<String>.string.decode(Data(bytes)) }
        #expect(thrown?.code == .codingFailed)
    }

    @Test func brokenJSONIsAnErrorThatSaysWhy() {
        let thrown = #expect(throws: CacheError.self) { try Codec<User>.json.decode(Data("{".utf8)) }
        #expect(thrown?.code == .codingFailed)
        #expect(thrown?.underlyingError is DecodingError)
        #expect(thrown?.message.contains("User") == true)
    }

    @Test func valueThatJSONCannotHoldIsAnError() {
        let thrown = #expect(throws: CacheError.self) { try Codec<Double>.json.encode(.infinity) }
        #expect(thrown?.code == .codingFailed)
        #expect(thrown?.underlyingError is EncodingError)
    }

    @Test func customCodecRunsItsClosuresAndWrapsTheirErrors() throws {
        let codec = Codec<Int>(
            schema: "number/1",
            contentType: "text/plain",
            encode: { number in
                guard number >= 0 else { throw TestError(number: number) }
                return Data("\(number)".utf8)
            },
            decode: { data in
                guard let number = Int(String(decoding: data, as: UTF8.self)) else { throw TestError(number: data.count) }
                return number
            }
        )
        #expect(try codec.encode(12) == Data("12".utf8))
        #expect(try codec.decode(Data("12".utf8)) == 12)
        #expect(codec.contentType == "text/plain")
        let encodingError = #expect(throws: CacheError.self) { try codec.encode(-1) }
        #expect(encodingError?.underlyingError as? TestError == TestError(number: -1))
        let decodingError = #expect(throws: CacheError.self) { try codec.decode(Data("xyz".utf8)) }
        #expect(decodingError?.underlyingError as? TestError == TestError(number: 3))
    }

    @Test func fingerprintFollowsFromTheSchemaAlone() {
        #expect(Codec<User>.json(schema: "user/1").schemaFingerprint == Codec<Int>.json(schema: "user/1").schemaFingerprint)
        #expect(Codec<User>.json(schema: "user/1").schemaFingerprint != Codec<User>.json(schema: "user/2").schemaFingerprint)
        #expect(Codec<User>.json.schemaFingerprint != Codec<User>.propertyList.schemaFingerprint)
        #expect(Codec<User>.json.schemaFingerprint != Codec<Int>.json.schemaFingerprint)
    }

    @Test func fingerprintIsTheSameInEveryProcess() {
        // FNV-1a of "a", from the published test vectors.
        let codec = Codec<Data>(schema: "a", encode: { $0 }, decode: { $0 })
        #expect(codec.schemaFingerprint == 0xaf63_dc4c_8601_ec8c)
        #expect(Codec<Data>(schema: "", encode: { $0 }, decode: { $0 }).schemaFingerprint == 0xcbf2_9ce4_8422_2325)
    }
}

@Suite struct CachableTests {
    private struct Photo: Cachable, Equatable {
        let original: Data
        func encode() throws -> Data { original }
        static func decode(_ data: Data) throws -> Photo {
            guard !data.isEmpty else { throw TestError() }
            return Photo(original: data)
        }
    }

    private struct Settings: Cachable, Codable, Equatable {
        var isDark: Bool
    }

    @Test func typeBringsItsOwnForm() throws {
        let photo = Photo(original: Data([1, 2, 3]))
        #expect(try Codec<Photo>.cachable.encode(photo) == photo.original)
        #expect(try Codec<Photo>.cachable.decode(photo.original) == photo)
        #expect(Codec<Photo>.cachable.contentType == nil)
    }

    @Test func errorOfTheTypeIsWrapped() {
        let thrown = #expect(throws: CacheError.self) { try Codec<Photo>.cachable.decode(Data()) }
        #expect(thrown?.code == .codingFailed)
        #expect(thrown?.underlyingError is TestError)
    }

    @Test func codableTypesGetJSONForNothing() throws {
        let codec = Codec<Settings>.cachable
        let data = try codec.encode(Settings(isDark: true))
        #expect(data == Data(#"{"isDark":true}"#.utf8))
        #expect(try codec.decode(data) == Settings(isDark: true))
        #expect(codec.contentType == "application/json")
    }

    @Test func schemaNamesTheType() {
        #expect(Codec<Photo>.cachable.schemaFingerprint != Codec<Settings>.cachable.schemaFingerprint)
        #expect(Codec<Settings>.cachable.schemaFingerprint != Codec<Settings>.json.schemaFingerprint)
    }
}
