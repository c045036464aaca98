// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardProxy

@Suite struct SpellingTests {
    @Test(arguments: [("lisen", "listen"), ("conect-timeout", "connect-timeout"), ("LIMITS", "limits"), ("uptsreams", "upstreams")])
    func theNearestNameIsFound(written: String, meant: String) {
        #expect(Spelling.nearest(to: written, among: ["listen", "upstreams", "routes", "limits", "connect-timeout"]) == meant)
    }

    @Test func whatResemblesNothingHasNoNearestName() {
        #expect(Spelling.nearest(to: "colour", among: ["listen", "upstreams"]) == nil)
    }

    @Test func distancesAreThoseOfDamerauAndLevenshtein() {
        for (left, right, distance) in [("", "", 0), ("a", "", 1), ("abc", "abc", 0), ("abc", "acb", 1), ("kitten", "sitting", 3), ("", "xyz", 3)] {
            #expect(Spelling.distance(left, right) == distance)
            #expect(Spelling.distance(right, left) == distance)
        }
    }
}
