// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport
import Testing

@testable import HoardHTTP

@Suite struct JSONBlanksTests {
    @Test(arguments: [
        ("{ \"a\" : [ 1 , 2 ] }", "{\"a\":[1,2]}"), ("\t{\r\n}\n", "{}"), ("\" a  b \"", "\" a  b \""), ("{\"a\\\" \" : 1}", "{\"a\\\" \":1}"),
        ("", ""), ("  ", ""),
        ("true", "true"), (" [ ] ", "[]"),
        // A text that is no JSON keeps the blanks between its words.
        ("1  2", "1 2"), ("\"a\" \"b\"", "\"a\" \"b\""), ("tr ue", "tr ue"), ("\" open  ", "\" open  "),
    ])
    func blanksGoWhereTheyMeanNothing(text: String, expected: String) {
        #expect(Self.removed(text).map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test(arguments: ["{\"a\": 1, // \"b\"\n}", "[1, /* 2 */ 3]", "['a  b']", "# 1", "\u{0}{\u{0}}", "[\u{e9}]", "{\\ }"])
    func aTextThatSomeoneMayReadOtherwiseIsLeft(text: String) {
        #expect(Self.removed(text) == nil)
    }

    @Test func bytesThatAreNotUTF8AreLeft() {
        let bytes = Array("{\"a\": \"".utf8) + [0x95, 0x5c] + Array("\" }".utf8)
        #expect(bytes.withUnsafeBytes { JSONBlanks.removed(from: $0) } == nil)
    }

    @Test func textsWithTheSameTokensAndNoOthersBecomeTheSame() {
        let seed = UInt64.random(in: 1...UInt64.max)
        var random = RandomSource(seed: seed)
        for _ in 0..<2_000 {
            let (left, right) = (Self.text(&random), Self.text(&random))
            guard let short = Self.removed(left), let other = Self.removed(right) else { continue }
            #expect((short == other) == (Self.tokens(left) == Self.tokens(right)), "seed \(seed): \(left) and \(right)")
        }
    }

    private static func removed(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { JSONBlanks.removed(from: UnsafeRawBufferPointer($0)) }
    }

    private static func text(_ random: inout RandomSource) -> String {
        (0..<random.int(0...6)).map { _ in random.pick(["{", "}", ",", ":", "1", "2", "\"", "\\", " ", "  ", "\n"]) }.joined()
    }

    /// Strings with their quotes, single marks, and words.
    private static func tokens(_ text: String) -> [String] {
        var (tokens, rest) = ([String](), text[...])
        while let first = rest.first {
            var token = String(first)
            rest.removeFirst()
            switch first {
            case " ", "\n": continue
            case "{", "}", ",", ":": break
            case "\"":
                while let next = rest.first {
                    token.append(next)
                    rest.removeFirst()
                    if next == "\\", let escaped = rest.first {
                        token.append(escaped)
                        rest.removeFirst()
                    } else if next == "\"" {
                        break
                    }
                }
            // In a text that is no JSON, a string and a word right behind it are one word.
            default:
                while let next = rest.first, !" \n{},:\"".contains(next) {
                    token.append(next)
                    rest.removeFirst()
                }
            }
            tokens.append(token)
            if first != "{", first != "}", first != ",", first != ":", let next = rest.first, !" \n{},:".contains(next) { tokens.append("glued") }
        }
        return tokens
    }
}
