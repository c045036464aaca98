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
