// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import HoardViews

@Suite("JSONReader", .timeLimit(.minutes(5)))
struct JSONReaderTests {
    private func read(_ json: String) -> JSONValue? { read(Data(json.utf8)) }
    private func read(_ data: Data) -> JSONValue? { data.withUnsafeBytes { JSONReader.read($0) } }

    @Test(arguments: [
        "null", "true", "false", "0", "-0", "1", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1.0", "1.50", "1e3",
        "1E+2",
        "1e-3", "0.1", "-19.99", "123456789012345678901234567890", "1e100", "1e127", "1e200", "5e-324", "1.7976931348623157e308", "\"\"", "\"plain\"",
        #""a\"b\\c\/d\b\f\n\r\t""#, #""\u0041\u00e9\u20ac""#, #""\ud83d\ude00!""#, "\"é€😀\"", "[]", "{}", "[[],{}]", #"{"a":{"b":[1,"c",null]}}"#,
        #"{"\u0061":1}"#, " [ 1 ,\t2\r\n] ", #"{ "a" : 1 , "b" : [ ] }"#,
    ])
    func whatADecoderReadsIsReadInTheSameWay(json: String) throws {
        #expect(read(json) == (try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))))
    }

    @Test(arguments: [
        "", " ", "[", "]", "{", "[1", "[1,", "[1,]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{a:1}", "\"a", "tru", "nul", "1 2", "[] []",
        "\"a\\\"",
    ])
    func whatIsNotJSONIsNothing(json: String) {
        #expect(read(json) == nil)
    }

    @Test(arguments: [
        "1e400", "-1e400", "1e99999999999999999999", "01", "1.", ".5", "+1", "1e", "--1", "-", "1e5.5", #""\x""#, #""\u12g4""#, #""\u12""#,
        #""\ud800""#, #""\ud800x""#,
        #""\ud800\u0041""#, #""\udc00""#,
    ])
    func whatIsNoValueInSwiftIsPassedByAndItsPlaceIsKnown(json: String) throws {
        let value = try #require(read(#"{"before":[1,"a"],"x":[0,\#(json)],"y":true}"#))
        #expect(value["before"] == .array([.integer(1), .string("a")]))
        #expect(value["y"] == .bool(true))
        #expect(jsonPath(try #require(value.unusablePath)) == "$.x[1]")
        #expect(value["before"]?.unusablePath == nil)
    }

    @Test(arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82]] as [[UInt8]])
    func bytesThatAreNotUTF8AreUnusable(bytes: [UInt8]) {
        let text = Data("\"a".utf8) + Data(bytes) + Data("\"".utf8)
        let escaped = Data("\"\\n".utf8) + Data(bytes) + Data("\"".utf8)
        for data in [text, escaped] {
            guard case .double(let double)? = read(data) else {
                Issue.record("It was read.")
                return
            }
            #expect(double.isNaN)
        }
    }

    @Test func ofANameThatAnObjectHasTwiceTheFirstCountsAsInADecoder() throws {
        let json = #"{"a":1,"b":2,"a":3}"#
        #expect(read(json)?["a"] == .integer(1))
        #expect(try JSONDecoder().decode([String: Int].self, from: Data(json.utf8))["a"] == 1)
    }

    @Test func randomDocumentsAreReadAsADecoderReadsThem() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for round in 0..<300 {
            let value = Self.value(depth: 0, &random)
            let data = try JSONEncoder().encode(value)
            #expect(read(data) == value, "seed \(seed), round \(round)")
            #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value, "seed \(seed), round \(round)")
        }
    }

    private static func value(depth: Int, _ random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth < 5 ? 7 : 5), using: &random) {
        case 0: return [.null, .bool(true), .bool(false)][Int.random(in: 0..<3, using: &random)]
        case 1: return .integer(Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<63, using: &random))
        case 2: return .decimal(Decimal(Int.random(in: -999_999...999_999, using: &random) * 2 + 1) / 1_000)
        case 3, 4:
            let scalars = ["a", "\"", "\\", "/", "\n", "\u{0}", "é", "€", "😀", "\u{202e}", "\u{301}"]
            return .string((0..<Int.random(in: 0..<8, using: &random)).map { _ in scalars.randomElement(using: &random) ?? "" }.joined())
        case 5: return .array((0..<Int.random(in: 0..<5, using: &random)).map { _ in value(depth: depth + 1, &random) })
        default:
            let names = (0..<Int.random(in: 0..<5, using: &random)).map { "name \($0)" }
            return .object(Dictionary(uniqueKeysWithValues: names.map { ($0, value(depth: depth + 1, &random)) }))
        }
    }

    @Test func valuesAreFoundByTheirPaths() throws {
        let document = JSONDocument(Data(#"{"a":[{"b":1},2]}"#.utf8))
        #expect(document.value(at: []) == .object(["a": .array([.object(["b": .integer(1)]), .integer(2)])]))
        #expect(document.value(at: [PathStep(name: "a"), PathStep(index: 0), PathStep(name: "b")]) == .integer(1))
        #expect(document.value(at: [PathStep(name: "a"), PathStep(index: 2)]) == nil)
        #expect(document.value(at: [PathStep(name: "a"), PathStep(name: "b")]) == nil)
        #expect(document.value(at: [PathStep(index: 0)]) == nil)
        #expect(document.value(at: [PathStep(name: "c"), PathStep(name: "b")]) == nil)
        #expect(JSONDocument(Data("{".utf8)).value(at: []) == nil)
    }
}
