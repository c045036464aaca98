// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import Testing

@Suite struct CompiledHTTPCachePolicyTests {
    private func compiled(_ names: String...) throws -> CompiledHTTPCachePolicy {
        var policy = HTTPCachePolicy()
        policy.ignoredQueryParameters = names
        return try #require(CompiledHTTPCachePolicy(policy))
    }

    @Test func aPolicyThatAsksForNothingIsNone() {
        #expect(CompiledHTTPCachePolicy(HTTPCachePolicy()) == nil)
    }

    @Test(arguments: [
        ("a=1&b=2", "a=1&b=2"), ("utm_source=x", nil), ("a=1&utm_source=x&b=2", "a=1&b=2"), ("utm_source=x&a=1", "a=1"), ("fbclid", nil),
        ("fbclid=1&fbclid=2", nil), ("fbclidx=1", "fbclidx=1"), ("Fbclid=1", "Fbclid=1"), ("", ""), ("&", "&"), ("%75tm_a=1&x=%2f", "x=%2f"),
        ("utm%5Fa=1", nil), ("utm=1", "utm=1"), ("a=utm_b", "a=utm_b"),
    ])
    func ignoredParametersAreLeftOutAndTheRestKeepsItsSpelling(query: String, expected: String?) throws {
        #expect(try compiled("utm_*", "fbclid").keyQuery(query) == expected)
    }

    @Test(arguments: [
        ("utm_source=x;id=2", "utm_source=x;id=2"), ("utm_source=x;", "utm_source=x;"), ("id=2;utm_source=x", "id=2;utm_source=x"),
        ("a=1&fbclid;b=2", "a=1&fbclid;b=2"), ("utm_a=1;utm_b=2", nil), ("a=1&utm_a=1;fbclid=2", "a=1"), ("utm_a=x%3Bid=2", nil),
    ])
    func aParameterBehindASemicolonIsNotHiddenByOneThatIsIgnored(query: String, expected: String?) throws {
        #expect(try compiled("utm_*", "fbclid").keyQuery(query) == expected)
    }

    @Test func starAloneLeavesNothingOfTheQuery() throws {
        #expect(try compiled("*").keyURI("http://example.com/a?b=1&c=2") == "http://example.com/a")
    }

    @Test func aURIWithoutQueryStaysAsItIs() throws {
        #expect(try compiled("a").keyURI("http://example.com/a=1") == "http://example.com/a=1")
        #expect(try compiled("a").keyURI("http://example.com/?a=1") == "http://example.com/")
        #expect(try compiled("a").keyQuery(nil) == nil)
    }
}

@Suite struct PolicyFieldTests {
    @Test func whatIsWrittenIsReadBack() throws {
        var field = PolicyField()
        (field.lifetime, field.defaultLifetime, field.staleWhileRevalidate, field.staleIfError) = (1, 2, 3, 4)
        field.keyFields = ["accept-language", "x-device"]
        field.tags = ["catalogue", "a \"b\" c, d", "Käse", "50%"]
        let value = field.value
        #expect(value.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        #expect(PolicyField([.hoardPolicy: value]) == field)
    }

    @Test func nothingToSayIsAnEmptyValue() {
        #expect(PolicyField().value.isEmpty)
        #expect(PolicyField([:]) == nil)
    }

    @Test func secondsStayWithinWhatRFC9111Allows() throws {
        var field = PolicyField()
        (field.lifetime, field.staleIfError) = (-5, .max)
        let read = try #require(PolicyField([.hoardPolicy: field.value]))
        #expect(read.lifetime == 0)
        #expect(read.staleIfError == DeltaSeconds.maximum)
    }

    @Test func aThousandTagsAreReadBack() throws {
        var field = PolicyField()
        field.tags = Set((0..<1_000).map { "a rather long tag with the number \($0)" })
        #expect(PolicyField([.hoardPolicy: field.value])?.tags == field.tags)
    }
}
