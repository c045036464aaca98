// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct VaryTests {
    private func names(_ names: String...) -> Vary { Vary(names.compactMap { HTTPField.Name($0) }) }

    @Test func readsNamesSortedAndOnce() {
        #expect(Vary(fields("Vary: Foo")) == names("foo"))
        #expect(Vary(fields("Vary: Foo, Bar")) == names("bar", "foo"))
        #expect(Vary(fields("Vary: Foo , ,bar", "Vary: FOO")) == names("bar", "foo"))
        #expect(Vary(fields("Vary:\tFoo\t,")) == names("foo"))
        guard case .fields(let sorted) = Vary(fields("Vary: C, a, B, c")) else {
            Issue.record("Vary selects nothing")
            return
        }
        #expect(sorted.map(\.canonicalName) == ["a", "b", "c"])
    }

    @Test(arguments: [[], [""], [","], [" , "]])
    func selectsNothingIfEmpty(lines: [String]) {
        #expect(Vary(fields(lines.map { "Vary: \($0)" })) == .fields([]))
    }

    @Test(arguments: [
        ["*"], ["*", "*"], [", *"], ["", "*"], ["*, Foo"], ["Foo, *"], ["*,*"], ["Foo", "*"], ["Foo Bar"], ["\"Foo\""], ["Foo;q=1"], ["Fo(o)"],
    ])
    func selectsNoRequestTwice(lines: [String]) {
        let vary = Vary(fields(lines.map { "Vary: \($0)" }))
        #expect(vary == .any)
        #expect(vary.variantKey(for: fields("Foo: 1", "Baz: 789")) == nil)
    }

    @Test func takesAStarForANameOnlyWithinAName() {
        // A star is a character like any other in a token.
        #expect(Vary(fields("Vary: X*")) == names("x*"))
    }

    @Test func survivesRandomBytes() {
        var generator = TestGenerator()
        for _ in 0..<5_000 {
            var message = HTTPFields()
            message.append(HTTPField(name: .vary, lenientValue: generator.bytes(upTo: 30, alphabet: "abc, *-\"")))
            if case .fields(let names) = Vary(message) {
                #expect(names.map(\.canonicalName) == Set(names.map(\.canonicalName)).sorted(), "seed \(generator.seed)")
            }
        }
    }
}

@Suite struct VariantKeyTests {
    private func key(_ names: String, _ lines: String...) -> VariantKey? {
        Vary(fields("Vary: \(names)")).variantKey(for: fields(lines))
    }

    @Test func matchesEqualValues() {
        #expect(key("Foo", "Foo: 1") == key("foo", "FOO: 1"))
        #expect(key("Foo, Bar", "Foo: 1", "Bar: abc") == key("bar, foo", "Bar: abc", "Foo: 1"))
        #expect(key("Foo, Bar, Baz", "Foo: 1", "Baz: 789") == key("Foo, Bar, Baz", "Foo: 1", "Baz: 789"))
        #expect(key("Foo", "Foo: 1", "Other: 2") == key("Foo", "Foo: 1", "Other: 3"))
        #expect(key("", "Foo: 1")?.text == "")
    }

    @Test func tellsDifferentValuesApart() {
        #expect(key("Foo", "Foo: 1") != key("Foo", "Foo: 2"))
        #expect(key("Foo") != key("Foo", "Foo: 1"))
        #expect(key("Foo, Bar", "Foo: 1", "Bar: abc") != key("Foo, Bar", "Foo: 2", "Bar: abc"))
        #expect(key("Foo, Bar", "Foo: 1", "Bar: abc") != key("Foo, Bar"))
        #expect(key("Foo, Bar, Baz", "Foo: 1", "Bar: abc", "Baz: 789") != key("Foo, Bar, Baz", "Foo: 1", "Baz: 789", "Bar: abcde"))
        #expect(key("Foo", "Foo: a") != key("Foo", "Foo: A"))
        #expect(key("Foo, Bar", "Foo: 1") != key("Foo, Bar", "Bar: 1"))
    }

    @Test func tellsAnAbsentFieldFromAnEmptyOne() {
        #expect(key("Foo") != key("Foo", "Foo:"))
        #expect(key("Accept-Language") != key("Accept-Language", "Accept-Language:"))
    }

    @Test func combinesLines() {
        #expect(key("Foo", "Foo: 1", "Foo: 2") == key("Foo", "Foo: 1, 2"))
        #expect(key("Foo", "Foo: 1", "Foo: 2") != key("Foo", "Foo: 2", "Foo: 1"))
        #expect(key("Cookie", "Cookie: a=b", "Cookie: c=d") == key("Cookie", "Cookie: a=b; c=d"))
    }

    @Test(arguments: ["Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language"])
    func ignoresSpacesWhereTheSyntaxIsKnown(name: String) {
        #expect(key(name, "\(name): en, de") == key(name, "\(name):  en ,   de"))
        #expect(key(name, "\(name): en,de") == key(name, "\(name): en,, de", "\(name): ,"))
        #expect(key(name, "\(name): a;q=0.5, b") == key(name, "\(name): a ; q=0.5,b"))
        #expect(key(name, "\(name): a;x=\"b ; c\"") != key(name, "\(name): a;x=\"b;c\""))
        #expect(key(name, "\(name): a;x=\"\\\" ; c\"") != key(name, "\(name): a;x=\"\\\";c\""))
        #expect(key(name, "\(name): en") != key(name, "\(name): en, de"))
    }

    @Test(arguments: ["Accept-Charset", "Accept-Encoding", "Accept-Language"])
    func ignoresTheOrderCaseAndSpellingOfPreferences(name: String) {
        #expect(key(name, "\(name): en, de") == key(name, "\(name): de, en"))
        #expect(key(name, "\(name): EN-us") == key(name, "\(name): en-US"))
        #expect(key(name, "\(name): en;q=1, de;q=0.5") == key(name, "\(name): de;Q=0.500 , en;q=1.000"))
        #expect(key(name, "\(name): en, en") == key(name, "\(name): en"))
        #expect(key(name, "\(name): en;q=0.8, de;q=0.8, *;q=0.1") == key(name, "\(name): *;q=0.1, de;q=0.8", "\(name): en;q=0.8, "))
        #expect(key(name, "\(name): a;q=0") == key(name, "\(name): a;q=0.000"))
    }

    @Test(arguments: ["Accept-Charset", "Accept-Encoding", "Accept-Language"])
    func tellsDifferentPreferencesApart(name: String) {
        let lists = [
            "en, de", "en, de;q=0.9", "en;q=0.9, de", "en;q=0.9, de;q=0.9", "en;q=0.8, de;q=0.7", "en", "de", "en;q=0", "en-us, de", "*", "en, *",
            "en, de, fr", "",
            "en;q=0.001",
        ]
        #expect(Set(lists.map { key(name, "\(name): \($0)") }).count == lists.count)
    }

    @Test(arguments: [
        "en;q=2", "en;q=1.001", "en;q=0.1234", "en;q=a", "en;q=", "en;q=-1", "en;q=.5", "en de", "en;x=1", "en;", "\"en",
        "en;q=0.5;q=0.6", "q=1", "en;q =1",
    ])
    func keepsTheOrderOfWhatBreaksTheGrammar(member: String) {
        let name = "Accept-Language"
        #expect(key(name, "\(name): fr, \(member)") != key(name, "\(name): \(member), fr"))
        #expect(key(name, "\(name): fr, \(member)") == key(name, "\(name): fr ,  \(member)"))
        #expect(key(name, "\(name): FR, \(member)") != key(name, "\(name): fr, \(member)"))
    }

    @Test(arguments: ["Accept-Charset", "Accept-Encoding", "Accept-Language"])
    func takesNothingThatBreaksTheGrammarForAListThatKeepsIt(name: String) {
        for (malformed, list) in [("en;q=500", "en;q=0.5"), ("de,en;q=50", "de, en;q=0.05")] {
            #expect(key(name, "\(name): \(malformed)") != key(name, "\(name): \(list)"))
        }
        // Two lines of which each breaks it, and which together look like a member that does not.
        #expect(key("Accept", "Accept: a/b;x=\"c", "Accept: d\"") != key("Accept", "Accept: a/b;x=\"c,d\""))
    }

    @Test func normalizesMediaRanges() {
        func accept(_ value: String) -> VariantKey? { key("Accept", "Accept: \(value)") }
        #expect(accept("text/html, */*;q=0.1") == accept("*/*;q=0.1,TEXT/HTML"))
        #expect(accept("text/html;Level=1;q=0.5") == accept("text/html ; level=1 ; Q=0.50"))
        #expect(accept("a/b;x=\"c;d\", e/f") == accept("e/f, a/b;x=\"c;d\""))
        #expect(accept("a/b;x=\"c\\\";d\", e/f") == accept("e/f, a/b;x=\"c\\\";d\""))
        let different = [
            "a/b", "a/b;x=1", "a/b;x=2", "a/b;x=Y", "a/b;x=y", "a/b;q=0.5", "a/b;x=1;q=0.5", "a/b;q=0.5;x=1", "a/b;q=1;x=1", "a/*", "*/*", "a/b, c/d",
            "a/b;x=1;y=2", "a/b;y=2;x=1",
        ]
        #expect(Set(different.map { accept($0) }).count == different.count)
        for malformed in ["a", "a/b/c", "a/", "/b", "a/b;=1", "a/b;q=x"] {
            #expect(accept("\(malformed), c/d") != accept("c/d, \(malformed)"), "\(malformed)")
        }
    }

    @Test func keepsSpacesWhereTheSyntaxIsUnknown() {
        #expect(key("Foo", "Foo: a,b") != key("Foo", "Foo: a, b"))
    }

    @Test func comparesBytesAndNotCharacters() throws {
        let vary = Vary(fields("Vary: Foo"))
        func key(_ bytes: [UInt8]) throws -> VariantKey {
            var message = HTTPFields()
            message.append(HTTPField(name: try #require(HTTPField.Name("Foo")), value: bytes))
            return try #require(vary.variantKey(for: message))
        }
        // é composed and decomposed are equal as strings; two broken bytes both read as U+FFFD.
        #expect(try key(Array("\u{E9}".utf8)) != key(Array("e\u{301}".utf8)))
        #expect(try key([0xFC]) != key([0xFD]))
        #expect(try key([0xFC]) != key(Array("%FC".utf8)))
        #expect(try key([0xFC]).bytes.allSatisfy { $0 < 0x80 })
        #expect(try key([0xFC]).text == "foo:%FC\n")
    }

    @Test func isUnambiguous() throws {
        var generator = TestGenerator()
        let vary = Vary(fields("Vary: A, B"))
        var seen: [String: [String?]] = [:]
        let values: [String?] = [nil, "", ":", "b", "b:", "a:1", "1, b:", "%0A", "a%0Ab:"]
        for _ in 0..<500 {
            let pair = [values.randomElement(using: &generator), values.randomElement(using: &generator)].map { $0 ?? nil }
            var message = HTTPFields()
            for (name, value) in zip(["A", "B"], pair) {
                if let value { message.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
            }
            let text = try #require(vary.variantKey(for: message)).text
            #expect(seen.updateValue(pair, forKey: text).map { $0 == pair } ?? true, "seed \(generator.seed)")
        }
        #expect(seen.count > 10, "seed \(generator.seed)")
    }

    @Test func tooManyNamesCountAsAStar() {
        let names = (1...Vary.maximumNames).map { "a\($0)" }.joined(separator: ", ")
        guard case .fields(let read) = Vary([.vary: names]) else {
            Issue.record("as many names as may be are not read")
            return
        }
        #expect(read.count == Vary.maximumNames)
        #expect(Vary([.vary: names + ", b"]) == .any)
    }
}
