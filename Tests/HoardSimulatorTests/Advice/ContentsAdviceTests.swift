// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

@Suite struct ContentsAdviceTests {
    @Test func entriesThatDifferInAParameterAreFound() {
        var contents = ContentsAdvice()
        for page in 0..<50 {
            for source in 0..<4 {
                contents.add(uri: "http://origin.example/pages/\(page)?utm_source=\(source)", variant: nil, byteCount: 1_000 + page)
            }
        }
        #expect(contents.advice.map(\.kind) == [.ignoredParameters])
        #expect(contents.advice.first?.path == "/pages/")
    }

    @Test func parametersThatChangeTheContentAreLeftAlone() {
        var contents = ContentsAdvice()
        for page in 0..<50 {
            for number in 0..<4 {
                contents.add(uri: "http://origin.example/pages/\(page)?page=\(number)", variant: nil, byteCount: 1_000 + page * 10 + number)
            }
        }
        #expect(contents.advice.isEmpty)
    }

    /// Entries that differ in a parameter alone, and have the same size.
    private func addCopies(below path: String, parameter: String, pages: Int = 60, copies: Int = 40, to contents: inout ContentsAdvice) {
        for page in 0..<pages {
            for number in 0..<copies {
                contents.add(uri: "http://origin.example\(path)\(page)?\(parameter)=\(number)", variant: nil, byteCount: 1_000 + page)
            }
        }
    }

    @Test func aParameterThatMattersAtOnePathIsLeftAloneHoweverManyCopiesOthersHave() {
        for path in ["/shop/item", "/static/item"] {
            var contents = ContentsAdvice()
            for number in 0..<20 { contents.add(uri: "http://origin.example\(path)?id=\(number)", variant: nil, byteCount: 5_000 + number * 7) }
            addCopies(below: "/static/", parameter: "id", to: &contents)
            #expect(contents.advice.isEmpty, "\(path): \(contents.advice)")
        }
    }

    @Test(arguments: ["*", "utm*", "", "a,b", "a\"]", "a b", "é"])
    func aNameThatMeansMoreInASettingIsLeftAlone(name: String) {
        var contents = ContentsAdvice()
        addCopies(below: "/static/", parameter: name, to: &contents)
        #expect(contents.advice.isEmpty, "\(contents.advice)")
    }

    @Test func aParameterIsNotIgnoredWhereNothingIsKnownOfIt() {
        var contents = ContentsAdvice()
        addCopies(below: "/a/", parameter: "sid", to: &contents)
        addCopies(below: "/c/", parameter: "sid", copies: 1, to: &contents)
        #expect(contents.advice.map(\.path) == ["/a/"])
        addCopies(below: "/b/", parameter: "sid", to: &contents)
        #expect(contents.advice.isEmpty, "\(contents.advice)")
    }

    @Test func namesThatClientsMakeUpDoNotHideParametersOfCampaigns() {
        var contents = ContentsAdvice()
        for number in 0..<300 { contents.add(uri: "http://origin.example/?made-up-\(number)=1", variant: nil, byteCount: 1_000 + number) }
        addCopies(below: "/pages/", parameter: "utm_source", to: &contents)
        addCopies(below: "/pages/", parameter: "gclid", to: &contents)
        #expect(contents.advice.map(\.ignoredParameters) == [["gclid", "utm_*"]])
    }

    @Test func parametersOfSeveralPlacesAreSettingsOfEach() {
        var contents = ContentsAdvice()
        addCopies(below: "/a/", parameter: "sid", to: &contents)
        addCopies(below: "/", parameter: "utm_source", to: &contents)
        #expect(contents.advice.map(\.path) == ["/", "/a/"])
        #expect(contents.advice.map(\.ignoredParameters) == [["utm_*"], ["sid"]])
        #expect(contents.advice.map { $0.settings.map(\.value) } == [["[\"utm_*\"]"], ["[sid, \"utm_*\"]"]])
    }

    @Test func manyVariantsAreFoundWithTheirField() {
        var contents = ContentsAdvice()
        for page in 0..<30 {
            for agent in 0..<12 {
                contents.add(uri: "http://origin.example/\(page)", variant: "user-agent #\(agent)", byteCount: 1_000)
            }
        }
        #expect(contents.advice.map(\.kind) == [.variants])
        #expect(contents.advice.first?.sentence.contains("user-agent") == true)
    }

    @Test func sizeIsJudgedByTheCurve() {
        let steep = [(1 << 20, 0.9), (64 << 20, 0.6), (1 << 30, 0.2), (2 << 30, 0.2)].map { (bytes: $0, missRatio: $1) }
        let more = ContentsAdvice.sizeAdvice(points: steep, currentBytes: 64 << 20, requests: 10_000)
        #expect(more?.kind == .moreMemory)
        #expect(more?.settings == [.init(path: nil, name: "memory", value: "1GiB")])
        #expect(ContentsAdvice.sizeAdvice(points: steep, currentBytes: 1 << 30, requests: 10_000) == nil)
        #expect(ContentsAdvice.sizeAdvice(points: steep, currentBytes: 64 << 20, requests: 100) == nil)
        let less = ContentsAdvice.sizeAdvice(points: steep, currentBytes: 8 << 30, requests: 10_000)
        #expect(less?.kind == .lessMemory)
        #expect(less?.settings.first?.value == "1GiB")
    }
}
