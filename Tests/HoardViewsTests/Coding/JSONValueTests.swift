// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardViews
import Testing

@Suite("JSONValue")
struct JSONValueTests {
    private func value(_ json: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
    }

    private func json(_ value: JSONValue) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test(
        arguments: [
            ("null", .null), ("true", .bool(true)), ("false", .bool(false)), ("0", .integer(0)), ("1", .integer(1)),
            ("-9223372036854775808", .integer(.min)), ("\"a/b\"", .string("a/b")), ("[]", .array([])), ("{}", .object([:])),
            (#"{"a":[1,{"b":null}]}"#, .object(["a": .array([.integer(1), .object(["b": .null])])])),
        ] as [(String, JSONValue)]
    )
    func valuesAreReadAndWritten(text: String, value: JSONValue) throws {
        #expect(try self.value(text) == value)
        #expect(try json(value) == text)
    }

    @Test(arguments: ["0.1", "19.99", "9223372036854775808", "18446744073709551616", "1234567890123456789012345678.9", "-0.001"])
    func decimalFractionsAndBigNumbersKeepAllDigits(text: String) throws {
        guard case .decimal = try value(text) else {
            Issue.record("\(text) is not decimal.")
            return
        }
        #expect(try json(try value(text)) == text)
    }

    @Test func whatADecimalCannotBeIsADouble() throws {
        #expect(try value("1e200") == .double(1e200))
        #expect(try value("1e-200") == .double(1e-200))
        #expect(throws: (any Error).self) { try value("1e400") }
    }

    @Test func membersAndTextsAreReached() throws {
        let value = try value(#"{"a": {"b": "text"}}"#)
        #expect(value["a"]?["b"]?.string == "text")
        #expect(value["b"] == nil)
        #expect(value.string == nil)
        #expect(JSONValue.array([])["a"] == nil)
    }

    /// The JSON that a placeholder keeps, through the coder.
    @Test(arguments: [
        "0.0", "-0.0", "1.0", "1.50", "1e3", "15e2", "1.5e97", "1.5e-97", "1e38", "1e39", "1e-30", "1e-31", "123456789012345678901234567890.5",
        "0.1234567890123456789012345678901234567", "9007199254740993", "9007199254740993.0", "-1.7976931348623157e308", "5e-324", "1e-400",
        "0." + String(repeating: "3", count: 500),
    ])
    func numbersAreWrittenAsTheyWillBeReadAgain(number: String) throws {
        let coder = ComponentCoder()
        let once = try coder.encode(try coder.decode(Data(#"{"_beagleComponent_":"x","n":\#(number)}"#.utf8)))
        let again = try #require(try coder.decode(once) as? UnknownComponent)
        #expect(try coder.encode(again) == once)
        #expect(once.count < 200)
        guard let double = Double(number) else {
            Issue.record("\(number) is no number.")
            return
        }
        let written = try JSONDecoder().decode([String: JSONValue].self, from: once)["n"]
        switch written {
        case .integer(let integer): #expect(Double(integer) == double)
        case .decimal(let decimal): #expect(Double("\(decimal)") == double)
        case .double(let kept): #expect(kept == double)
        default: Issue.record("\(number) was not kept.")
        }
    }

    @Test func noDigitOfAFractionIsTakenForNothing() throws {
        let component = try ComponentCoder().decode(Data(#"{"_beagleComponent_":"x","n":1.00000000000000000001}"#.utf8))
        #expect((component as? UnknownComponent)?.members["n"] == .decimal(Decimal(string: "1.00000000000000000001") ?? 0))
    }
}
