// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import HoardViews
import Synchronization
import Testing

/// Any bytes may arrive. The result is always a component or an error.
@Suite("Hostile JSON", .timeLimit(.minutes(5)))
struct HostileJSONTests {
    private func outcome(_ data: Data, _ coder: ComponentCoder = ComponentCoder()) -> Result<any ServerDrivenComponent, ComponentCodingError> {
        do { return .success(try coder.decode(data)) } catch { return .failure(error) }
    }

    private func code(_ data: Data, _ coder: ComponentCoder = ComponentCoder()) -> ComponentCodingError.Code? {
        if case .failure(let error) = outcome(data, coder) { error.code } else { nil }
    }

    private func nested(_ levels: Int, type: String = "beagle:container") -> Data {
        var json = #"{"_beagleComponent_":"beagle:text","text":"a"}"#
        for _ in 1..<levels { json = #"{"_beagleComponent_":"\#(type)","children":[\#(json)]}"# }
        return Data(json.utf8)
    }

    @Test func depthIsBounded() {
        let coder = ComponentCoder(maximumDepth: 21)
        #expect(code(nested(11), coder) == nil)
        #expect(code(nested(12), coder) == .tooDeep)
        #expect(code(nested(11, type: "test:unknown"), coder) == nil)
        #expect(code(nested(12, type: "test:unknown"), coder) == .tooDeep)
    }

    @Test(arguments: ["[", "{\"a\":", "{\"_beagleComponent_\":\"beagle:container\",\"children\":["])
    func aMillionLevelsAreRefusedBeforeTheyAreDecoded(opening: String) {
        #expect(code(Data(String(repeating: opening, count: 1_000_000).utf8)) == .tooDeep)
    }

    @Test func levelsInTextsDoNotCount() throws {
        let text = String(repeating: "[{\\\"", count: 1_000)
        guard case .success(let component) = outcome(Data(#"{"_beagleComponent_": "beagle:text", "text": "\#(text)"}"#.utf8)) else {
            Issue.record("The text was counted as levels.")
            return
        }
        #expect((component as? TextComponent)?.text == String(repeating: "[{\"", count: 1_000))
    }

    /// Threads other than the first have 512 KiB on Apple's systems.
    @Test(arguments: [
        (#"{"_beagleComponent_":"beagle:container","children":["#, "]}", 48),
        (#"{"_beagleComponent_":"beagle:screenComponent","child":"#, "}", 96),
        (#"{"_beagleComponent_":"test:unknown","children":["#, "]}", 48),
    ])
    func theDeepestTreeFitsOnASmallStack(opening: String, closing: String, levels: Int) async throws {
        let leaf = #"{"_beagleComponent_":"beagle:text","text":"a"}"#
        let json = Data((String(repeating: opening, count: levels - 1) + leaf + String(repeating: closing, count: levels - 1)).utf8)
        let description: String = try await withCheckedThrowingContinuation { continuation in
            let thread = Thread {
                continuation.resume(
                    with: Result {
                        let coder = ComponentCoder()
                        let component = try coder.decode(json)
                        let again = try coder.decode(try coder.encode(component))
                        _ = again.routes
                        return again.treeDescription
                    }
                )
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(description.split(separator: "\n").count == levels)
    }

    @Test func aByteOrderMarkIsPassedBy() {
        let json = Data(#"{"_beagleComponent_": "beagle:text", "text": "ä"}"#.utf8)
        #expect(code(Data([0xEF, 0xBB, 0xBF]) + json) == nil)
        #expect(code(Data([0xEF, 0xBB, 0xBF])) == .notJSON)
    }

    @Test(arguments: [String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32BigEndian, .utf32LittleEndian])
    func otherEncodingsThanUTF8AreRefused(encoding: String.Encoding) throws {
        let data = try #require(#"{"_beagleComponent_": "beagle:text", "text": "a"}"#.data(using: encoding))
        #expect(code(data) == .notJSON)
    }

    @Test(arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82]] as [[UInt8]])
    func bytesThatAreNotUTF8AreErrors(bytes: [UInt8]) {
        let before = Data(#"{"_beagleComponent_": "beagle:text", "text": "a"#.utf8)
        #expect(code(before + Data(bytes) + Data("\"}".utf8)) != nil)
    }

    @Test(arguments: ["1e400", "-1e400", "1e99999999999999999999", String(repeating: "9", count: 10_000), "-0", "0.1", "18446744073709551616"])
    func numbersOfAnySizeAreValuesOrErrors(number: String) {
        #expect([nil, .invalidValue].contains(code(Data(#"{"_beagleComponent_": "test:unknown", "n": \#(number)}"#.utf8))))
        #expect(code(Data(#"{"_beagleComponent_": "beagle:text", "text": \#(number)}"#.utf8)) == .invalidValue)
    }

    @Test(arguments: ["01", "+1", ".5", "1.", "1e", "0x10", "NaN", "Infinity", "--1"])
    func whatIsNoNumberIsAnError(number: String) {
        #expect(code(Data(#"{"_beagleComponent_": "test:unknown", "n": \#(number)}"#.utf8)) != nil)
    }

    @Test func aNameThatAnObjectHasTwiceCountsOnce() throws {
        let json = #"{"_beagleComponent_":"beagle:text","text":"a","text":"b","_beagleComponent_":"beagle:button"}"#
        let component = try ComponentCoder().decode(Data(json.utf8))
        let text = (component as? TextComponent)?.text ?? (component as? ButtonComponent)?.text
        #expect(text == "a" || text == "b")
        let again = try JSONSerialization.jsonObject(with: try ComponentCoder().encode(component)) as? [String: Any]
        #expect(again?.count == 2)
    }

    @Test func aHundredThousandComponentsAreDecoded() throws {
        let row = #"{"_beagleComponent_":"beagle:text","text":"a"}"#
        let rows = Array(repeating: row, count: 100_000).joined(separator: ",")
        let component = try ComponentCoder().decode(Data(#"{"_beagleComponent_":"beagle:container","children":[\#(rows)]}"#.utf8))
        #expect(component.subcomponents.count == 100_000)
        #expect(component.routes.isEmpty)
    }

    @Test func aHundredThousandNumbersOfAPlaceholderAreDecoded() throws {
        let numbers = (0..<100_000).map { String(Double($0) / 8) }.joined(separator: ",")
        let component = try ComponentCoder().decode(Data(#"{"_beagleComponent_":"test:unknown","n":[\#(numbers)]}"#.utf8))
        guard case .array(let elements) = (component as? UnknownComponent)?.members["n"] else {
            Issue.record("There is no array.")
            return
        }
        #expect(elements.count == 100_000)
        #expect(elements.last == .decimal(12499.875))
    }

    @Test func changedBytesNeverCrashAndWhatIsDecodedIsStable() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let coder = ComponentCoder()
        let unknown =
            #"{"_beagleComponent_":"shop:x","a":{"_beagleAction_":"b","route":{"url":"/u"}},"c":[{"_beagleComponent_":"beagle:text"},1.5e3,-7,null]}"#
        let valid = [try coder.encode(Samples.screen), Data(unknown.utf8)]
        let tokens = ["{", "}", "[", "]", "\"", "\\", ",", ":", "null", "1e9", "-", "\u{0}", "\"_beagleComponent_\"", "é", "\\ud800"].map {
            Data($0.utf8)
        }
        var decoded = 0
        for round in 0..<2_000 {
            var data = valid[round % 2]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<data.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: data[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 1: data.removeSubrange(index..<min(data.count, index + Int.random(in: 1...20, using: &random)))
                case 2: data.insert(contentsOf: tokens.randomElement(using: &random) ?? Data(), at: index)
                default: data = data.prefix(max(1, index))
                }
                if data.isEmpty { data = Data("{".utf8) }
            }
            switch outcome(data, coder) {
            case .success(let component):
                decoded += 1
                _ = component.treeDescription
                let once = try coder.encode(component)
                let twice = try coder.encode(try coder.decode(once))
                #expect(once == twice, "seed \(seed), round \(round)")
            case .failure(let error):
                #expect(error.path.hasPrefix("$"), "seed \(seed), round \(round)")
            }
        }
        #expect(decoded > 0, "seed \(seed)")
    }
}
